// SPDX-License-Identifier: MIT
//
// What a build keeps for the next one: found again whole, cut off anywhere it is the part before the
// cut, and the next entry goes there.
#include "checkpoint.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format.h"
#include "support.h"

static wm_status keep(wm_checkpoint* c, uint64_t key, const char* text)
{
    wm_buffer content = {0};
    wm_put_bytes(&content, text, strlen(text));
    const wm_status status = wm_checkpoint_keep(c, key, &content, NULL);
    wm_buffer_free(&content);
    return status;
}

static bool has(wm_checkpoint* c, uint64_t key, const char* text)
{
    wm_reader content;
    return wm_checkpoint_find(c, key, &content) && content.left == strlen(text) &&
           memcmp(content.data, text, content.left) == 0;
}

static wm_checkpoint opened(const test_path* target, bool resume)
{
    wm_checkpoint c;
    wm_error error = {""};
    if (wm_checkpoint_open(&c, target->text, resume, &error) != WM_OK)
        fail_msg("%s", error.message);
    return c;
}

static void what_was_kept_is_found_in_any_order(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path target = scratch_path(&folder, "file");
    wm_checkpoint c = opened(&target, true);
    wm_reader content;
    assert_false(c.exists);
    assert_int_equal(scratch_count(&folder), 0); // nothing is written for nothing
    assert_int_equal(keep(&c, 1, "one"), WM_OK);
    assert_int_equal(keep(&c, 2, ""), WM_OK);
    assert_int_equal(keep(&c, 3, "three"), WM_OK);
    assert_false(wm_checkpoint_find(&c, 1, &content)); // of an earlier build only
    wm_checkpoint_close(&c);
    for (int round = 0; round < 2; round++) {
        c = opened(&target, true);
        assert_int_equal(c.kept, 3 + round);
        assert_true(has(&c, 3, "three") && has(&c, 1, "one") && has(&c, 2, ""));
        assert_true(has(&c, 1, "one") && has(&c, 1, "one"));
        assert_false(wm_checkpoint_find(&c, 4, &content));
        if (round == 0) assert_int_equal(keep(&c, 5, "five"), WM_OK);
        wm_checkpoint_close(&c);
    }
    c = opened(&target, true);
    wm_checkpoint_remove(&c);
    wm_checkpoint_close(&c);
    assert_int_equal(scratch_count(&folder), 0);
    scratch_remove(&folder);
}

static void without_resume_the_first_entry_replaces_what_was_there(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path target = scratch_path(&folder, "file");
    wm_reader content;
    wm_checkpoint c = opened(&target, false);
    assert_int_equal(keep(&c, 1, "one, and longer than what comes after it"), WM_OK);
    wm_checkpoint_close(&c);
    c = opened(&target, false);
    assert_true(c.exists);
    assert_int_equal(c.kept, 0);
    assert_false(wm_checkpoint_find(&c, 1, &content));
    wm_checkpoint_close(&c); // nothing kept: what was there stays
    c = opened(&target, true);
    assert_true(has(&c, 1, "one, and longer than what comes after it"));
    wm_checkpoint_close(&c);
    c = opened(&target, false);
    assert_int_equal(keep(&c, 2, "two"), WM_OK);
    wm_checkpoint_close(&c);
    c = opened(&target, true);
    assert_int_equal(c.kept, 1);
    assert_true(has(&c, 2, "two"));
    assert_false(wm_checkpoint_find(&c, 1, &content));
    wm_checkpoint_remove(&c);
    scratch_remove(&folder);
}

static void a_file_cut_off_or_changed_anywhere_gives_what_is_whole(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path target = scratch_path(&folder, "file");
    const test_path partial = scratch_path(&folder, "file.partial");
    wm_checkpoint c = opened(&target, true);
    assert_int_equal(keep(&c, 1, "first"), WM_OK);
    const size_t second = c.good;
    assert_int_equal(keep(&c, 2, "second"), WM_OK);
    wm_checkpoint_close(&c);
    size_t size;
    char* bytes = file_get(&partial, &size);
    for (size_t cut = 0; cut <= 2 * size; cut++) {
        wm_reader content;
        char* changed = malloc(size);
        memcpy(changed, bytes, size);
        if (cut > size) changed[cut - size - 1] ^= 0x10;
        file_put(&partial, changed, cut > size ? size : cut);
        free(changed);
        if (cut > size && cut - size <= 8) continue; // no longer ours
        c = opened(&target, true);
        const bool one = cut > size ? cut - size > second : cut >= second;
        const bool both = cut == size;
        assert_int_equal(wm_checkpoint_find(&c, 1, &content), one);
        assert_int_equal(wm_checkpoint_find(&c, 2, &content), both);
        assert_int_equal(keep(&c, 3, "third"), WM_OK);
        wm_checkpoint_close(&c);
        c = opened(&target, true);
        assert_int_equal(has(&c, 1, "first"), one);
        assert_int_equal(has(&c, 2, "second"), both);
        assert_true(has(&c, 3, "third"));
        wm_checkpoint_close(&c);
    }
    free(bytes);
    scratch_remove(&folder);
}

static void what_a_build_did_not_leave_is_left_alone(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path target = scratch_path(&folder, "file");
    const test_path partial = scratch_path(&folder, "file.partial");
    for (int resume = 0; resume < 2; resume++) {
        wm_checkpoint c;
        wm_error error = {""};
        file_put_text(&partial, "Dear reader");
        assert_int_equal(wm_checkpoint_open(&c, target.text, resume, &error), WM_ERR_FORMAT);
        assert_contains(error.message, partial.text);
        assert_contains(error.message, "in the way");
        assert_int_equal(unlink(partial.text), 0);
        assert_int_equal(mkdir(partial.text, 0700), 0);
        assert_int_equal(wm_checkpoint_open(&c, target.text, resume, &error), WM_ERR_IO);
        assert_int_equal(rmdir(partial.text), 0);
        // A link could lead the writer into any file of its user.
        c = opened(&target, resume);
        assert_int_equal(symlink("victim", partial.text), 0);
        assert_int_equal(keep(&c, 1, "one"), WM_ERR_IO);
        wm_checkpoint_close(&c);
        assert_int_equal(unlink(partial.text), 0);
    }
    assert_int_equal(scratch_count(&folder), 0);
    scratch_remove(&folder);
}

static void a_checkpoint_is_as_private_as_its_file(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path target = scratch_path(&folder, "file");
    const test_path partial = scratch_path(&folder, "file.partial");
    struct stat info;
    file_put_text(&target, "old");
    assert_int_equal(chmod(target.text, 0600), 0);
    wm_checkpoint c = opened(&target, false);
    assert_int_equal(keep(&c, 1, "one"), WM_OK);
    assert_int_equal(stat(partial.text, &info), 0);
    assert_int_equal(info.st_mode & 077, 0);
    wm_checkpoint_remove(&c);
    scratch_remove(&folder);
}

static void every_option_and_every_map_has_a_key_of_its_own(void** state)
{
    (void)state;
    wm_grid grids[] = {grid_from_text(WM_DIAGONAL_NONE, "...\n...\n"),
                       grid_from_text(WM_DIAGONAL_SQUEEZE, "...\n...\n"),
                       grid_from_text(WM_DIAGONAL_NONE, "...\n..@\n")};
    const wm_knn_parameters knn[] = {
        {.total = 9, .shard = 1, .shards = 1, .seed = 1},
        {.total = 8, .shard = 1, .shards = 1, .seed = 1},
        {.total = 9, .shard = 1, .shards = 2, .seed = 1},
        {.total = 9, .shard = 2, .shards = 2, .seed = 1},
        {.total = 9, .shard = 1, .shards = 1, .seed = 2},
        {.total = 9, .shard = 1, .shards = 1, .seed = 1, .chains = true},
        {.total = 9, .shard = 1, .shards = 1, .seed = 1, .coverage = true},
    };
    const wm_regions_contract contracts[] = {
        {.seed = 1},
        {.seed = 2},
        {.seed = 1, .max_bytes = 1},
        {.seed = 1, .max_bytes = 1, .bytes_are_hard = true},
        {.seed = 1, .max_mean = 1},
        {.seed = 1, .fixed.radius = 1},
        {.seed = 1, .fixed.satellite = 1},
        {.seed = 1, .fixed_epsilon = true},
        {.seed = 1, .fixed_epsilon = true, .fixed.epsilon = 1},
        {.seed = 1, .fixed_controller = true},
        {.seed = 1, .fixed_controller = true, .fixed.max_expansions = 1},
    };
    uint64_t keys[100];
    size_t count = 0;
    for (size_t g = 0; g < 3; g++) {
        for (size_t i = 0; i < sizeof knn / sizeof knn[0]; i++)
            keys[count++] = wm_checkpoint_knn_key(&grids[g], &knn[i]);
        for (size_t i = 0; i < sizeof contracts / sizeof contracts[0]; i++)
            keys[count++] = wm_checkpoint_regions_key(&grids[g], &contracts[i]);
        for (uint32_t level = 1; level <= 3; level++)
            keys[count++] = wm_checkpoint_d_lrta_key(&grids[g], level);
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) assert_true(keys[i] != keys[j]);
    }
    for (size_t g = 0; g < 3; g++) wm_grid_free(&grids[g]);
}

// ---------------------------------------------------------------------------------------------
// kNN records in blocks

static bool stop_later(void* context, size_t done, size_t total)
{
    (void)total;
    return done < *(size_t*)context;
}

static uint64_t build(const wm_grid* grid, wm_checkpoint* c, bool chains, size_t stop_at,
                      wm_status expected)
{
    wm_knn knn;
    wm_buffer blob = {0};
    uint64_t hash = 0;
    const wm_knn_build_options options = {
        .parameters = {.total = 2 * WM_KNN_BLOCK + 700, .shard = 1, .shards = 1, .chains = chains},
        .threads = 2,
        .progress = stop_later,
        .progress_context = &stop_at,
        .blocks = c == NULL ? (wm_knn_blocks){0} : wm_checkpoint_knn_blocks(c)};
    assert_int_equal(wm_knn_build(&knn, grid, &options, "map", NULL), expected);
    if (expected == WM_OK) assert_int_equal(wm_knn_seal(&blob, &hash, &knn), WM_OK);
    wm_buffer_free(&blob);
    wm_knn_free(&knn);
    return hash;
}

static void a_build_that_goes_on_has_the_content_of_one_that_never_stopped(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path target = scratch_path(&folder, "file");
    wm_grid grid = grid_random(7, 40, 30, 30, WM_DIAGONAL_NONE);
    for (int chains = 0; chains < 2; chains++) {
        const uint64_t whole = build(&grid, NULL, chains, SIZE_MAX, WM_OK);
        wm_checkpoint c = opened(&target, true);
        build(&grid, &c, chains, WM_KNN_BLOCK + 100, WM_ERR_INTERRUPTED);
        assert_int_equal(c.kept, 1);
        build(&grid, &c, chains, 2 * WM_KNN_BLOCK + 100, WM_ERR_INTERRUPTED);
        wm_checkpoint_close(&c);
        c = opened(&target, true);
        // Nothing but the rest is made: no one reports the records that were found.
        build(&grid, &c, chains, 2 * WM_KNN_BLOCK, WM_ERR_INTERRUPTED);
        assert_true(build(&grid, &c, chains, SIZE_MAX, WM_OK) == whole);
        assert_true(build(&grid, &c, !chains, SIZE_MAX, WM_OK) != whole);
        wm_checkpoint_remove(&c);
    }
    wm_grid_free(&grid);
    scratch_remove(&folder);
}

static void a_block_that_cannot_be_is_made_again(void** state)
{
    (void)state;
    const test_path folder = scratch_create();
    const test_path target = scratch_path(&folder, "file");
    wm_grid grid = grid_random(7, 40, 30, 30, WM_DIAGONAL_NONE);
    const uint64_t whole = build(&grid, NULL, true, SIZE_MAX, WM_OK);
    wm_checkpoint c = opened(&target, true);
    build(&grid, &c, true, SIZE_MAX, WM_OK);
    wm_checkpoint_close(&c);
    // Under its right key and hash, but with cells that are off the map, blocked, or too many.
    static const uint32_t bad[] = {0xFFFFFFFF, 1200, 1, 0x7FFF};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        wm_reader content;
        wm_checkpoint forged = opened(&target, true);
        const wm_knn_parameters parameters = {
            .total = 2 * WM_KNN_BLOCK + 700, .shard = 1, .shards = 1, .chains = true};
        const wm_knn_blocks blocks = wm_checkpoint_knn_blocks(&forged);
        assert_true(blocks.find(&forged, &grid, &parameters, 0, &content));
        uint8_t* bytes = (uint8_t*)content.data; // in the buffer of `forged`
        for (int j = 0; j < 4; j++) bytes[j] = (uint8_t)(bad[i] >> 8 * j);
        assert_true(build(&grid, &forged, true, SIZE_MAX, WM_OK) == whole);
        wm_checkpoint_close(&forged);
    }
    wm_grid_free(&grid);
    scratch_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_kept_is_found_in_any_order),
        cmocka_unit_test(without_resume_the_first_entry_replaces_what_was_there),
        cmocka_unit_test(a_file_cut_off_or_changed_anywhere_gives_what_is_whole),
        cmocka_unit_test(what_a_build_did_not_leave_is_left_alone),
        cmocka_unit_test(a_checkpoint_is_as_private_as_its_file),
        cmocka_unit_test(every_option_and_every_map_has_a_key_of_its_own),
        cmocka_unit_test(a_build_that_goes_on_has_the_content_of_one_that_never_stopped),
        cmocka_unit_test(a_block_that_cannot_be_is_made_again),
    };
    return cmocka_run_group_tests_name("checkpoint", tests, NULL, NULL);
}
