#include <criterion/criterion.h>

#include <string.h>

#include "grader/batch/roster.h"

static struct wg_roster roster;
static struct wg_err err;

static enum wg_code parse(const char *text, const char *template) {
    wg_roster_done(&roster);
    err = (struct wg_err){0};
    return wg_roster_parse(text, strlen(text), template, &roster, &err);
}

static void must_parse(const char *text) {
    cr_assert_eq(parse(text, NULL), WG_OK, "%s", err.msg);
}

static void must_complain(const char *text, const char *template, const char *words) {
    cr_assert_neq(parse(text, template), WG_OK);
    cr_assert(strstr(err.msg, words), "'%s' is not about '%s'", err.msg, words);
}

static void must_find(size_t index, size_t line, const char *words) {
    cr_assert_gt(roster.problem_count, index);
    cr_assert_eq(roster.problems[index].line, line, "line %zu: %s", roster.problems[index].line,
                 roster.problems[index].text);
    cr_assert(strstr(roster.problems[index].text, words), "'%s'", roster.problems[index].text);
}

Test(batch_roster, columns_come_in_any_order_and_empty_cells_are_none) {
    must_parse("Repository,Comment,ID,Ref,Folder,Name,Assignment\n"
               "https://h/a.git,x,s1,main,lab 1,Student One,matmul\n"
               "/srv/b.git,,s2\n");
    cr_assert_eq(roster.row_count, 2);
    cr_assert_eq(roster.problem_count, 0);
    cr_assert_str_eq(roster.rows[0].id, "s1");
    cr_assert_str_eq(roster.rows[0].repository, "https://h/a.git");
    cr_assert_str_eq(roster.rows[0].ref, "main");
    cr_assert_str_eq(roster.rows[0].folder, "lab 1");
    cr_assert_str_eq(roster.rows[0].name, "Student One");
    cr_assert_str_eq(roster.rows[0].assignment, "matmul");
    cr_assert_str_eq(roster.rows[1].repository, "/srv/b.git");
    cr_assert_null(roster.rows[1].ref);
    cr_assert_null(roster.rows[1].name);
    cr_assert_eq(roster.rows[1].line, 3);
}

Test(batch_roster, bom_crlf_semicolons_and_quotes) {
    must_parse("\xef\xbb\xbfid;name;repository\r\n"
               "s1;\"Two, \"\"lines\"\"\r\nof it\";\"/a;b\"\r\n"
               "\r\n"
               " s2 ;  ; /c \r\n");
    cr_assert_eq(roster.row_count, 2);
    cr_assert_str_eq(roster.rows[0].name, "Two, \"lines\"\nof it");
    cr_assert_str_eq(roster.rows[0].repository, "/a;b");
    cr_assert_str_eq(roster.rows[1].id, "s2");
    cr_assert_str_eq(roster.rows[1].repository, "/c");
    cr_assert_eq(roster.rows[1].line, 5, "a quoted line break counts as a line");
}

Test(batch_roster, tabs_and_told_separators) {
    must_parse("id\trepository\ns1\t/a,b\n");
    cr_assert_str_eq(roster.rows[0].repository, "/a,b");
    must_parse("sep=|\nid|repository\ns1|/a\n");
    cr_assert_str_eq(roster.rows[0].repository, "/a");
    cr_assert_eq(roster.rows[0].line, 3);
}

Test(batch_roster, a_last_line_without_its_end_and_old_line_ends) {
    must_parse("id,repository\rs1,/a\rs2,/b");
    cr_assert_eq(roster.row_count, 2);
    cr_assert_str_eq(roster.rows[1].repository, "/b");
    cr_assert_eq(roster.rows[1].line, 3);
}

Test(batch_roster, bad_rows_are_told_with_their_lines_and_the_rest_stays) {
    must_parse("id,name,repository\n"
               "s1,A,/a\n"
               ",B,/b\n"
               "s1,C,/c\n"
               "s2,D,/d,more,cells\n"
               "s3,\"E\"x,/e\n"
               "s4,F,/f,,\n"
               "s5,\"G,/g\ns6,H,/h\n");
    cr_assert_eq(roster.row_count, 2);
    cr_assert_str_eq(roster.rows[0].repository, "/a");
    cr_assert_str_eq(roster.rows[1].id, "s4");
    cr_assert_eq(roster.problem_count, 5);
    must_find(0, 3, "'id' is empty");
    must_find(1, 4, "'s1' is in line 2 already");
    must_find(2, 5, "5 cells for 3 columns");
    must_find(3, 6, "after a closing quote");
    must_find(4, 8, "never closed");
}

Test(batch_roster, a_folder_stays_inside_its_repository) {
    must_parse("id,repository,folder\ns1,/a,../x\ns2,/a,lab/..\ns3,/a,..x/y..\n");
    cr_assert_eq(roster.row_count, 1);
    cr_assert_str_eq(roster.rows[0].id, "s3");
    must_find(0, 2, "leads out of the repository");
    must_find(1, 3, "leads out of the repository");
}

Test(batch_roster, non_breaking_spaces_are_spaces) {
    must_parse("\xc2\xa0id\xc2\xa0,repository\n\xc2\xa0 s1\xc2\xa0 \xc2\xa0,/a\xc2\xa0"
               "b\n"
               "\xc2\xa0,\xc2\xa0\n");
    cr_assert_eq(roster.row_count, 1);
    cr_assert_eq(roster.problem_count, 0);
    cr_assert_str_eq(roster.rows[0].id, "s1");
    cr_assert_str_eq(roster.rows[0].repository, "/a\xc2\xa0"
                                                "b");
    must_parse("id,repository\n\xa0s1,/a\n");
    cr_assert_str_eq(roster.rows[0].id, "s1", "in Latin-1, too");
}

Test(batch_roster, one_id_may_have_several_assignments) {
    must_parse("id,assignment,repository\ns1,matmul,/a\ns1,vector_add,/a\ns1,matmul,/b\n");
    cr_assert_eq(roster.row_count, 2);
    must_find(0, 4, "line 2 already");
}

Test(batch_roster, without_a_repository_is_a_row_too) {
    must_parse("id,repository\ns1,\n");
    cr_assert_eq(roster.row_count, 1);
    cr_assert_str_eq(roster.rows[0].repository, "");
}

Test(batch_roster, github_classroom_with_a_template) {
    const char *text = "\"identifier\",\"github_username\",\"github_id\",\"name\"\n"
                       "\"s1@example.edu\",\"octo-1\",\"17\",\"\"\n"
                       "\"s2@example.edu\",\"\",\"\",\"\"\n"
                       "\"s3@example.edu\",\"../x\",\"\",\"\"\n";
    must_complain(text, NULL, "--repository-template");
    cr_assert_eq(parse(text, "https://github.com/org/lab1-{GitHub Username}.git"), WG_OK);
    cr_assert_str_eq(roster.rows[0].id, "s1@example.edu");
    cr_assert_str_eq(roster.rows[0].repository, "https://github.com/org/lab1-octo-1.git");
    cr_assert_str_eq(roster.rows[1].repository, "", "has not joined yet");
    must_find(0, 4, "cannot be part of an address");
}

Test(batch_roster, github_classroom_grades_name_repositories) {
    must_parse("assignment_name,assignment_url,github_username,roster_identifier,"
               "student_repository_name,student_repository_url\n"
               "Lab 1,https://classroom/1,octo,s1,lab-octo,https://github.com/org/lab-octo\n");
    cr_assert_str_eq(roster.rows[0].id, "s1");
    cr_assert_str_eq(roster.rows[0].repository, "https://github.com/org/lab-octo");
    cr_assert_null(roster.rows[0].assignment);
}

Test(batch_roster, moodle_names_in_two_columns_and_windows_letters) {
    must_parse("ID number;First name;Last name;repo\n17;Ren\xe9;M\xfcller;/a\n");
    cr_assert_str_eq(roster.rows[0].name, "Ren\xc3\xa9 M\xc3\xbcller");
}

Test(batch_roster, templates_are_checked) {
    must_complain("id\ns1\n", "/srv/{login}.git", "'login'; there is id");
    must_complain("id\ns1\n", "/srv/all.git", "no {COLUMN}");
}

Test(batch_roster, what_is_no_roster) {
    must_complain("", NULL, "empty");
    must_complain("\n\n", NULL, "empty");
    must_complain("name,repository\n", NULL, "called id");
    must_complain("id,name\n", NULL, "called repository; there is id, name");
    must_complain("id,repository,ID\n", NULL, "two columns 'ID'");
    must_complain("PK\x03\x04", NULL, "spreadsheet");
    must_complain("\xff\xfei", NULL, "UTF-16");
    cr_assert_eq(wg_roster_parse("i\0d\0,\0\n\0", 8, NULL, &roster, &err), WG_EPARSE);
    cr_assert(strstr(err.msg, "UTF-16: save it as CSV"), "%s", err.msg);
    cr_assert_eq(wg_roster_parse("id\0,", 4, NULL, &roster, &err), WG_EPARSE);
}
