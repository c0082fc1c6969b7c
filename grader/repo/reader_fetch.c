/* Fetching over https and ssh.
 *
 * Only what is needed: the default branch, or the branch or tag that is named; everything only when
 * a commit is named by its id. Into a bare repository in the workspace, without a configured
 * remote, so that no URL with a password is ever written down. */
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/base/text.h"
#include "grader/repo/reader.h"

#define MAX_NAMES 2000

struct transfer {
    struct wg_reader *reader;
    unsigned password_tries, key_tries;
    bool too_large; /* stopped by us */
};

/* ---- credentials ---- */

/* Called again after each refusal: everything is offered once. */
static int get_credentials(git_credential **out, const char *url, const char *user_in_url,
                           unsigned int allowed, void *payload) {
    struct transfer *transfer = payload;
    const char *user = user_in_url != NULL ? user_in_url : "git";
    if ((allowed & GIT_CREDENTIAL_USERNAME) != 0) {
        return git_credential_username_new(out, user);
    }
    const char *key = transfer->reader->request->ssh_key;
    if ((allowed & GIT_CREDENTIAL_SSH_KEY) != 0 && transfer->key_tries++ == 0) {
        return key != NULL ? git_credential_ssh_key_new(out, user, NULL, key, "")
                           : git_credential_ssh_key_from_agent(out, user);
    }
    /* A user and password in the URL are used by libgit2 itself before it asks. */
    const char *token = getenv("WAVEGRADE_GIT_TOKEN"), *host = getenv("WAVEGRADE_GIT_HOST");
    if ((allowed & GIT_CREDENTIAL_USERPASS_PLAINTEXT) != 0 && token != NULL && host != NULL &&
        wg_location_has_host(url, host) && transfer->password_tries++ == 0) {
        return git_credential_userpass_plaintext_new(
            out, user_in_url != NULL ? user_in_url : "oauth2", token);
    }
    return GIT_EAUTH;
}

static int watch_progress(const git_indexer_progress *progress, void *payload) {
    struct transfer *transfer = payload;
    if ((int64_t)progress->received_bytes > transfer->reader->request->limit_fetch_bytes) {
        transfer->too_large = true;
        return GIT_EUSER;
    }
    return 0;
}

/* ---- failures ---- */

static enum wg_code explain_failure(struct transfer *transfer, int rc) {
    struct wg_reader *reader = transfer->reader;
    struct wg_submission *out = reader->out;
    if (transfer->too_large) {
        wg_submission_answer(out, WG_VERDICT_FETCH_ERROR,
                             "the repository is larger than %.1f MB: remove what is not source "
                             "code, also from its history",
                             (double)reader->request->limit_fetch_bytes / 1e6);
        return WG_OK;
    }
    const git_error *last = git_error_last();
    WG_CLEANUP(wg_freep)
    char *message = wg_location_scrub(wg_reader_git_words(), reader->request->location,
                                      getenv("WAVEGRADE_GIT_TOKEN"));
    switch (wg_fetch_fault(rc, last == NULL ? GIT_ERROR_NONE : last->klass, message)) {
    case WG_FAULT_ACCESS:
        wg_submission_answer(out, WG_VERDICT_FETCH_ERROR,
                             "%s may not be read: give the course's account access, or check the "
                             "address (private and absent look alike)",
                             out->repository);
        return WG_OK;
    case WG_FAULT_ABSENT:
        wg_submission_answer(out, WG_VERDICT_FETCH_ERROR,
                             "there is no repository at %s: check the address", out->repository);
        return WG_OK;
    case WG_FAULT_REPOSITORY:
        wg_submission_answer(out, WG_VERDICT_FETCH_ERROR, "%s cannot be read: %s", out->repository,
                             message);
        return WG_OK;
    case WG_FAULT_MACHINE:
        break;
    }
    bool unknown_host =
        rc == GIT_ECERTIFICATE && wg_location_kind(reader->request->location) == WG_LOCATION_SSH;
    wg_fail(reader->err, WG_EINTERNAL, "fetch %.100s: %s%s", out->repository, message,
            unknown_host ? " (connect once with ssh, so that ~/.ssh/known_hosts has it)" : "");
    reader->err->code = WG_EIO; /* without an errno: libgit2's text has the cause */
    return WG_EIO;
}

/* ---- what to fetch ---- */

struct heads {
    const git_remote_head **all;
    size_t count;
};

static bool has_head(const struct heads *heads, const char *full) {
    for (size_t i = 0; i < heads->count; i++) {
        if (strcmp(heads->all[i]->name, full) == 0) {
            return true;
        }
    }
    return false;
}

/* The server's word for what a branch or tag is, before anything is transferred. With a deadline
 * the newest commit says nothing. */
static bool is_known(const struct wg_reader *reader, const struct heads *heads, const char *ref) {
    const char *known = reader->request->known_commit;
    if (ref == NULL || known == NULL || reader->request->not_after_s != 0) {
        return false;
    }
    WG_CLEANUP(wg_freep) char *peeled = wg_strf("%s^{}", ref); /* what an annotated tag is of */
    for (size_t i = 0; i < heads->count; i++) {
        const git_remote_head *head = heads->all[i];
        if ((strcmp(head->name, ref) == 0 || strcmp(head->name, peeled) == 0) &&
            strcmp(git_oid_tostr_s(&head->oid), known) == 0) {
            return true;
        }
    }
    return false;
}

/* Heap: "refs/heads/main"; NULL when all branches and tags are needed, or none fits (answered). */
static char *choose_ref(struct wg_reader *reader, git_remote *remote, const struct heads *heads) {
    const char *wanted = reader->request->ref;
    if (wanted == NULL) {
        git_buf name = {0};
        if (git_remote_default_branch(&name, remote) != 0) {
            return NULL;
        }
        char *copy = wg_strdup(name.ptr);
        git_buf_dispose(&name);
        return copy;
    }
    static const char *const prefixes[] = {"", "refs/", "refs/tags/", "refs/heads/"};
    bool of_origin = strncmp(wanted, "origin/", 7) == 0; /* as a clone calls its branches */
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0] + of_origin; i++) {
        WG_CLEANUP(wg_freep)
        char *full = i < sizeof prefixes / sizeof prefixes[0]
                         ? wg_strf("%s%s", prefixes[i], wanted)
                         : wg_strf("refs/heads/%s", wanted + 7);
        if (strncmp(full, "refs/", 5) == 0 && has_head(heads, full)) {
            return WG_TAKE(&full);
        }
    }
    size_t len = strlen(wanted);
    if (len >= 4 && len <= GIT_OID_HEXSZ && strspn(wanted, "0123456789abcdefABCDEF") == len) {
        return NULL; /* a commit, perhaps */
    }
    WG_CLEANUP(wg_freep) const char **names = wg_calloc(MAX_NAMES, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < heads->count && count < MAX_NAMES; i++) {
        const char *name = heads->all[i]->name;
        if (strncmp(name, "refs/heads/", 11) == 0) {
            names[count++] = name + 11;
        } else if (strncmp(name, "refs/tags/", 10) == 0 && strchr(name, '^') == NULL) {
            names[count++] = name + 10;
        }
    }
    wg_reader_answer_no_ref(reader, names, count);
    return NULL;
}

static void remotep(git_remote **remote) {
    git_remote_free(*remote);
}

static enum wg_code fetch_from(struct transfer *transfer, git_remote *remote) {
    struct wg_reader *reader = transfer->reader;
    git_fetch_options options;
    git_fetch_options_init(&options, GIT_FETCH_OPTIONS_VERSION);
    options.callbacks.credentials = get_credentials;
    options.callbacks.transfer_progress = watch_progress;
    options.callbacks.payload = transfer;
    options.download_tags = GIT_REMOTE_DOWNLOAD_TAGS_NONE;
    options.update_fetchhead = 0;
    if (getenv("WAVEGRADE_GIT_HOSTS") != NULL) { /* a host that is allowed may name another */
        options.follow_redirects = GIT_REMOTE_REDIRECT_NONE;
    }
    options.proxy_opts.type = GIT_PROXY_AUTO; /* https_proxy of the environment */

    git_remote_connect_options connecting;
    git_remote_connect_options_init(&connecting, GIT_REMOTE_CONNECT_OPTIONS_VERSION);
    connecting.callbacks = options.callbacks;
    connecting.proxy_opts = options.proxy_opts;
    connecting.follow_redirects = options.follow_redirects;
    int rc = git_remote_connect_ext(remote, GIT_DIRECTION_FETCH, &connecting);
    struct heads heads = {0};
    if (rc == 0) {
        rc = git_remote_ls(&heads.all, &heads.count, remote);
    }
    if (rc != 0) {
        return explain_failure(transfer, rc);
    }
    if (heads.count == 0) {
        wg_reader_answer_empty(reader);
        return WG_OK;
    }
    WG_CLEANUP(wg_freep) char *ref = choose_ref(reader, remote, &heads);
    if (reader->out->verdict != WG_VERDICT_PASS) {
        return WG_OK;
    }
    if (is_known(reader, &heads, ref)) {
        memcpy(reader->out->commit, reader->request->known_commit, GIT_OID_HEXSZ + 1);
        reader->out->unchanged = true;
        return WG_OK;
    }
    WG_CLEANUP(wg_freep) char *one = ref == NULL ? NULL : wg_strf("+%s:%s", ref, ref);
    char *all[] = {"+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"};
    git_strarray specs = ref == NULL ? (git_strarray){all, 2} : (git_strarray){&one, 1};
    rc = git_remote_fetch(remote, &specs, &options, NULL);
    if (rc != 0) {
        return explain_failure(transfer, rc);
    }
    if (ref != NULL && reader->request->ref == NULL) {
        rc = git_repository_set_head(reader->repo, ref);
    }
    return rc == 0 ? WG_OK : explain_failure(transfer, rc);
}

enum wg_code wg_reader_fetch(struct wg_reader *reader) {
    const char *location = reader->request->location;
    if (wg_location_kind(location) == WG_LOCATION_OTHER) {
        wg_submission_answer(reader->out, WG_VERDICT_FETCH_ERROR,
                             "%s is not accepted as an address: use https://, ssh:// or "
                             "user@host:path",
                             reader->out->repository);
        return WG_OK;
    }
    WG_CLEANUP(wg_freep) char *path = wg_path_join(reader->workspace, "fetched.git");
    WG_CLEANUP(remotep) git_remote *remote = NULL;
    if (git_repository_init(&reader->repo, path, true) != 0 ||
        git_remote_create_anonymous(&remote, reader->repo, location) != 0) {
        WG_CLEANUP(wg_freep)
        char *words = wg_location_scrub(wg_reader_git_words(), location, NULL);
        return wg_fail(reader->err, WG_EINVAL, "%.100s: %s", reader->out->repository, words);
    }
    struct transfer transfer = {.reader = reader};
    return fetch_from(&transfer, remote);
}
