#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/file.h"
#include "grader/batch/slurm_exec.h"
#include "grader/batch/slurm_spool.h"
#include "grader/batch/slurm_text.h"

/* ---- Rounds ---- */

Test(batch_slurm, chunks_are_small_for_small_classes_and_fit_into_an_array) {
    cr_assert_eq(wg_slurm_chunk_size(1, 0), 4);
    cr_assert_eq(wg_slurm_chunk_size(12, 0), 4);
    cr_assert_eq(wg_slurm_chunk_size(300, 0), 9);
    cr_assert_eq(wg_slurm_chunk_size(1000, 0), 16);
    cr_assert_eq(wg_slurm_chunk_size(100000, 0), 100);
    cr_assert_eq(wg_slurm_chunk_size(300, 1), 1);
    cr_assert_eq(wg_slurm_chunk_size(3000, 1), 3, "more tasks than an array may have");
}

Test(batch_slurm, a_round_comes_back_as_it_was_written) {
    const size_t indices[] = {3, 4, 7, 8, 9, 11, 12, 13, 14, 19};
    struct wg_slurm_round round = {0}, again = {0};
    wg_slurm_round_make(2, 1, indices, 10, 4, &round);
    cr_assert_eq(round.tasks, 3);
    cr_assert_eq(round.first[3], 10);

    struct wg_buf text = {0};
    struct wg_err err = {0};
    wg_slurm_round_put(&round, &text);
    cr_assert_eq(wg_slurm_round_parse(wg_buf_str(&text), 2, 20, &again, &err), WG_OK, "%s",
                 err.msg);
    cr_assert_eq(again.number, 2);
    cr_assert_eq(again.try, 1);
    cr_assert_eq(again.count, 10);
    cr_assert_eq(again.tasks, 3);
    cr_assert_eq(memcmp(again.indices, indices, sizeof indices), 0);
    cr_assert_eq(memcmp(again.first, round.first, 4 * sizeof *round.first), 0);
    cr_assert_eq(wg_slurm_round_parse(wg_buf_str(&text), 2, 19, &again, &err), WG_EPARSE,
                 "an item that the plan does not have");
    wg_slurm_round_done(&round);
    wg_slurm_round_done(&again);
    wg_buf_done(&text);
}

Test(batch_slurm, a_round_that_was_not_written_by_us_is_refused) {
    const char *const bad[] = {
        "",
        "wavegrade slurm round 1\n",
        "wavegrade slurm round 1\ntry 0",
        "wavegrade slurm round 1\ntry -1\n1\n",
        "wavegrade slurm round 1\ntry 0\n1 2",
        "wavegrade slurm round 1\ntry 0\n1  2\n",
        "wavegrade slurm round 1\ntry 0\n1 2 \n",
        "wavegrade slurm round 1\ntry 0\n\n",
        "wavegrade slurm round 1\ntry 0\n-1\n",
        "wavegrade slurm round 1\ntry 0\n99999999999999999999999\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct wg_slurm_round round = {0};
        struct wg_err err = {0};
        cr_expect_eq(wg_slurm_round_parse(bad[i], 0, 10, &round, &err), WG_EPARSE, "%zu", i);
    }
}

/* ---- Submitting ---- */

Test(batch_slurm, options_that_would_blind_the_engine_are_refused) {
    const char *const refused[] = {"--array=1-3",
                                   "--arr=1",
                                   "-a",
                                   "-a1-3",
                                   "--output=x",
                                   "-ox",
                                   "--wait",
                                   "-W",
                                   "--wrap=reboot",
                                   "--export-file=x",
                                   "--export=NONE",
                                   "--clusters=b",
                                   "-Mb",
                                   "--test-only",
                                   "--chdir=/",
                                   "-D/",
                                   "--job-name=x",
                                   "--nodes=2",
                                   "-n4",
                                   "script.sh",
                                   "-",
                                   "--",
                                   "",
                                   "--mem=1\n2",
                                   "--u"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        const struct wg_batch_slurm slurm = {.extra = &refused[i], .extra_count = 1};
        struct wg_err err = {0};
        cr_expect_eq(wg_slurm_check_options(&slurm, &err), WG_EINVAL, "%s", refused[i]);
    }
    const char *const taken[] = {
        "--mem=8G",    "--cpus-per-task=4", "--qos=class",         "--no-requeue",
        "--exclusive", "--nodelist=gpu1",   "--constraint=mi300x", "--gpus-per-node=1",
        "-c4",         "-Cmi300x",          "--begin=22:00",       "--comment=two words",
        "--nice=10",   "--mail-type=END"};
    const struct wg_batch_slurm slurm = {.partition = "gpu,gpu-long",
                                         .gres = "gpu:mi300x:1",
                                         .time = "1-02:00:00",
                                         .account = "cs_101",
                                         .extra = taken,
                                         .extra_count = sizeof taken / sizeof taken[0]};
    struct wg_err err = {0};
    cr_expect_eq(wg_slurm_check_options(&slurm, &err), WG_OK, "%s", err.msg);
    const char *const values[] = {"", "--wrap=x", "a b", "a\nb"};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        const struct wg_batch_slurm bad = {.partition = values[i]};
        cr_expect_eq(wg_slurm_check_options(&bad, &err), WG_EINVAL, "%s", values[i]);
    }
}

Test(batch_slurm, paths_mean_nothing_to_the_shell) {
    struct wg_buf script = {0};
    wg_slurm_script("/opt/it's/wavegrade", NULL, "/home/a b/$(reboot)`x`", 3, &script);
    cr_assert_str_eq(wg_buf_str(&script), "#!/bin/sh\nexec '/opt/it'\\''s/wavegrade' slurm-task "
                                          "'/home/a b/$(reboot)`x`' 3\n");
    wg_buf_done(&script);
}

Test(batch_slurm, options_come_back_as_they_were_given) {
    const char *const extra[] = {"--mem=8G", "--comment=a=b c"};
    const struct wg_batch_slurm given = {.partition = "gpu",
                                         .time = "10:00",
                                         .jail = "auto",
                                         .extra = extra,
                                         .extra_count = 2,
                                         .chunk = 7};
    struct wg_buf text = {0};
    struct wg_slurm_options kept = {0};
    struct wg_err err = {0};
    wg_slurm_options_put(&given, &text);
    cr_assert_eq(wg_slurm_options_parse(wg_buf_str(&text), &kept, &err), WG_OK, "%s", err.msg);
    cr_assert_str_eq(kept.slurm.partition, "gpu");
    cr_assert_str_eq(kept.slurm.time, "10:00");
    cr_assert_str_eq(kept.slurm.jail, "auto");
    cr_assert_null(kept.slurm.gres);
    cr_assert_eq(kept.slurm.chunk, 7);
    cr_assert_eq(kept.slurm.extra_count, 2);
    cr_assert_str_eq(kept.slurm.extra[1], "--comment=a=b c");
    wg_slurm_options_done(&kept);
    cr_assert_eq(wg_slurm_options_parse("partition=x\n", &kept, &err), WG_EPARSE);
    cr_assert_eq(wg_slurm_options_parse("wavegrade slurm options 1\nshell=x\n", &kept, &err),
                 WG_EPARSE);
    wg_buf_done(&text);
}

Test(batch_slurm, the_job_number_is_read_strictly) {
    uint64_t job = 0;
    cr_assert(wg_slurm_parse_submitted("123\n", &job));
    cr_assert_eq(job, 123);
    cr_assert(wg_slurm_parse_submitted("124;cluster\n", &job));
    cr_assert_eq(job, 124);
    const char *const bad[] = {"", "0\n", "-1\n", "Submitted batch job 5\n", "12 34\n", "1e3"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cr_expect_not(wg_slurm_parse_submitted(bad[i], &job), "%s", bad[i]);
    }
}

/* ---- The queue ---- */

Test(batch_slurm, the_queue_tells_what_waits_runs_and_ended) {
    struct wg_slurm_queue queue = {0};
    struct wg_err err = {0};
    enum wg_code code = wg_slurm_queue_parse("wavegrade-b1-r0|7|0|COMPLETED|wg1|None\n"
                                             "wavegrade-b1-r0|7|1|RUNNING|wg2|None\n"
                                             "wavegrade-b1-r0|7|2|PENDING|n/a|BeginTime\n"
                                             "wavegrade-b1-r1|9|0|COMPLETING|wg1|a | b\n"
                                             "wavegrade-b1-r1|9|1|TIMEOUT|wg1|TimeLimit\n"
                                             "wavegrade-b1-r1|9|2|A_NEW_WORD|wg1|None\n"
                                             "wavegrade-b2-r0|8|0|RUNNING|wg1|None\n"
                                             "other|11|N/A|RUNNING|wg1|None\n",
                                             "b1", &queue, &err);
    cr_assert_eq(code, WG_OK, "%s", err.msg);
    cr_assert_eq(queue.count, 6);
    const enum wg_slurm_phase phases[] = {WG_SLURM_ENDED,   WG_SLURM_RUNNING, WG_SLURM_WAITING,
                                          WG_SLURM_RUNNING, WG_SLURM_ENDED,   WG_SLURM_RUNNING};
    for (size_t i = 0; i < 6; i++) {
        cr_expect_eq(queue.tasks[i].phase, phases[i], "%zu", i);
    }
    cr_expect_str_eq(queue.tasks[1].host, "wg2");
    cr_expect_str_eq(queue.tasks[2].host, "");
    cr_expect_str_eq(queue.tasks[2].reason, "BeginTime");
    cr_expect_eq(queue.tasks[3].round, 1);
    cr_expect_eq(queue.tasks[3].job, 9);
    cr_expect_str_eq(queue.tasks[3].reason, "a | b");
    wg_slurm_queue_done(&queue);
}

Test(batch_slurm, an_array_that_never_started_is_one_entry) {
    struct wg_slurm_queue queue = {0};
    struct wg_err err = {0};
    enum wg_code code = wg_slurm_queue_parse("wavegrade-b1-r0|7|N/A|CANCELLED|n/a|None\n"
                                             "wavegrade-b1-r1|8|2|RUNNING|wg1|None\n"
                                             "wavegrade-b1-r1|8|3-5,7%2|PENDING|n/a|Resources\n",
                                             "b1", &queue, &err);
    cr_assert_eq(code, WG_OK, "%s", err.msg);
    cr_assert_eq(queue.count, 3);
    cr_expect(queue.tasks[0].is_rest);
    cr_expect_eq(queue.tasks[0].phase, WG_SLURM_ENDED);
    cr_expect_not(queue.tasks[1].is_rest);
    cr_expect(queue.tasks[2].is_rest);
    cr_expect_eq(queue.tasks[2].phase, WG_SLURM_WAITING);
    wg_slurm_queue_done(&queue);
}

Test(batch_slurm, an_answer_in_another_form_is_an_error) {
    const char *const bad[] = {
        "slurm_load_jobs error: Unable to contact slurm controller\n",
        "wavegrade-b1-r0|7|0|RUNNING|wg1\n",
        "wavegrade-b1-r0|7|1..5|PENDING|n/a|None\n",
        "wavegrade-b1-r0|7|-|PENDING|n/a|None\n",
        "wavegrade-b1-r0|7||PENDING|n/a|None\n",
        "wavegrade-b1-r0|x|1|PENDING|n/a|None\n",
        "wavegrade-b1-rx|7|1|PENDING|n/a|None\n",
        "wavegrade-b1-r0|7|1||n/a|None\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct wg_slurm_queue queue = {0};
        struct wg_err err = {0};
        cr_expect_eq(wg_slurm_queue_parse(bad[i], "b1", &queue, &err), WG_EPARSE, "%s", bad[i]);
    }
}

Test(batch_slurm, the_first_of_the_jobs_gpus) {
    char first[16];
    cr_assert(wg_slurm_first_gpu("2", first));
    cr_assert_str_eq(first, "2");
    cr_assert(wg_slurm_first_gpu("3,5", first));
    cr_assert_str_eq(first, "3");
    cr_assert(wg_slurm_first_gpu("4-7", first));
    cr_assert_str_eq(first, "4");
    cr_assert_not(wg_slurm_first_gpu("", first));
    cr_assert_not(wg_slurm_first_gpu("GPU-1", first));
    cr_assert_not(wg_slurm_first_gpu("1x", first));
}

/* ---- Commands ---- */

Test(batch_slurm, a_command_tells_what_it_printed_or_why_it_failed) {
    struct wg_buf out = {0};
    struct wg_err err = {0};
    const char *const good[] = {"printf", "a b\\n", NULL};
    cr_assert_eq(wg_slurm_exec(good, &out, &err), WG_OK, "%s", err.msg);
    cr_assert_str_eq(wg_buf_str(&out), "a b\n");
    const char *const bad[] = {"sh", "-c", "echo warning >&2; echo 'sbatch: error: no' >&2; exit 3",
                               NULL};
    cr_assert_eq(wg_slurm_exec(bad, &out, &err), WG_EUNSUPPORTED);
    cr_assert_str_eq(err.msg, "sh failed: sbatch: error: no");
    const char *const absent[] = {"sbatch-is-not-here", NULL};
    cr_assert_eq(wg_slurm_exec(absent, &out, &err), WG_EUNSUPPORTED);
    cr_assert(strstr(err.msg, "login node"), "%s", err.msg);
    wg_buf_done(&out);
}

Test(batch_slurm, commands_do_not_get_secrets_or_the_users_own_formats) {
    setenv("WAVEGRADE_GIT_TOKEN", "secret", 1);
    setenv("SQUEUE_FORMAT", "%i", 1);
    setenv("SLURM_CONF", "/etc/slurm.conf", 1);
    struct wg_buf out = {0};
    struct wg_err err = {0};
    const char *const argv[] = {"env", NULL};
    cr_assert_eq(wg_slurm_exec(argv, &out, &err), WG_OK, "%s", err.msg);
    cr_assert_not(strstr(wg_buf_str(&out), "secret"));
    cr_assert_not(strstr(wg_buf_str(&out), "SQUEUE_FORMAT"));
    cr_assert(strstr(wg_buf_str(&out), "SLURM_CONF=/etc/slurm.conf"));
    wg_buf_done(&out);
}

/* ---- The spool ---- */

Test(batch_slurm, only_whole_results_of_the_same_try_count) {
    char *folder = NULL;
    struct wg_err err = {0};
    cr_assert_eq(wg_folder_make_temp("slurm-test", &folder, &err), WG_OK, "%s", err.msg);
    struct wg_batch_plan plan = {.spool = folder, .count = 5};
    const char *const names[] = {"0.1.json",  "1.0.json", "2.1.json.tmp-17-0", "03.1.json",
                                 "4.1.jsonx", "9.1.json", "x.1.json"};
    char *results = wg_path_join(folder, "results");
    cr_assert_eq(wg_folder_make(results, 0700, &err), WG_OK, "%s", err.msg);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *path = wg_path_join(results, names[i]);
        cr_assert_eq(wg_file_write(path, "{}", 2, 0600, &err), WG_OK, "%s", err.msg);
        free(path);
    }
    bool done[5] = {false};
    cr_assert_eq(wg_slurm_results_scan(&plan, 1, done, &err), WG_OK, "%s", err.msg);
    cr_expect(done[0]);
    for (size_t i = 1; i < 5; i++) {
        cr_expect_not(done[i], "%zu", i);
    }
    wg_folder_remove(folder, &err);
    free(results);
    free(folder);
}

Test(batch_slurm, notes_are_kept_per_try_and_cleaned) {
    char *folder = NULL;
    struct wg_err err = {0};
    cr_assert_eq(wg_folder_make_temp("slurm-test", &folder, &err), WG_OK, "%s", err.msg);
    struct wg_batch_plan plan = {.spool = folder, .count = 5};
    struct wg_slurm_round round = {0};
    const size_t indices[] = {0, 4};
    wg_slurm_round_make(0, 0, indices, 2, 4, &round);
    cr_assert_eq(wg_slurm_round_write(&plan, &round, &err), WG_OK, "%s", err.msg);
    cr_assert_eq(wg_slurm_note_write(&plan, 4, 0, "first", &err), WG_OK, "%s", err.msg);
    cr_assert_eq(wg_slurm_note_write(&plan, 4, 0, "a\xff", &err), WG_OK, "%s", err.msg);
    char *note = wg_slurm_note_read(&plan, 4, 0);
    cr_assert_str_eq(note, "a\xef\xbf\xbd");
    cr_assert_null(wg_slurm_note_read(&plan, 4, 1));
    wg_slurm_note_remove(&plan, 4, 0);
    cr_assert_null(wg_slurm_note_read(&plan, 4, 0));
    wg_slurm_round_done(&round);
    wg_folder_remove(folder, &err);
    free(note);
    free(folder);
}
