// SPDX-License-Identifier: MIT
//
// Numbers are taken as text and read here, not by argtable, so that every refusal names the
// option, the value and what is allowed. Only what argtable2 has too is used of argtable3.
#include "cli/cli.h"

#include <argtable3.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "text.h"

#define MAX_COST 1000000000
#define LINE_COLUMNS 100 // of help

// What argtable's arg_str, arg_lit and arg_file report; its header does not name the codes.
enum { TOO_FEW = 1, TOO_MANY = 2 };

// ---------------------------------------------------------------------------------------------
// Sentences

// Room for a sentence with all that a wm_error can hold.
typedef struct sentence {
    char text[2 * sizeof(wm_error)];
} sentence;

static void print_sentence(const wm_cli* cli, sentence* said)
{
    // A file name may hold anything, and still the sentence is one line that orders nothing.
    for (char* at = said->text; *at != '\0'; at++) {
        if ((unsigned char)*at < ' ' || *at == '\x7F') *at = '?';
    }
    fflush(stdout); // keeps the order where both go to one terminal
    fprintf(stderr, "%s: %s", cli->program, said->text);
}

int wm_cli_usage(const wm_cli* cli, const char* format, ...)
{
    sentence said;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(said.text, sizeof said.text, format, arguments);
    va_end(arguments);
    print_sentence(cli, &said);
    if (cli->command == NULL) {
        fprintf(stderr, "; try '%s --help'\n", cli->program);
    } else {
        fprintf(stderr, "; try '%s %s --help'\n", cli->program, cli->command);
    }
    return WM_EXIT_USAGE;
}

void wm_cli_note(const wm_cli* cli, const char* format, ...)
{
    sentence said;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(said.text, sizeof said.text, format, arguments);
    va_end(arguments);
    print_sentence(cli, &said);
    fputc('\n', stderr);
}

int wm_cli_exit_status(wm_status status)
{
    switch (status) {
    case WM_OK:
    case WM_ARRIVED: return WM_EXIT_DONE;
    case WM_NO_PATH: return WM_EXIT_NO;
    case WM_ERR_ARGUMENT: return WM_EXIT_USAGE;
    case WM_ERR_INTERRUPTED: return WM_EXIT_INTERRUPTED;
    default: return WM_EXIT_DATA;
    }
}

int wm_cli_fail(const wm_cli* cli, wm_status status, const wm_error* error)
{
    const bool has_message = error != NULL && error->message[0] != '\0';
    wm_cli_note(cli, "%s", has_message ? error->message : wm_status_name(status));
    return wm_cli_exit_status(status);
}

// ---------------------------------------------------------------------------------------------
// Programs

static void print_program_help(const wm_cli_program* program)
{
    printf("usage: %s COMMAND [OPTION]...\n\n%s\n\ncommands:\n", program->name, program->summary);
    for (const wm_cli_command* c = program->commands; c->name != NULL; c++)
        printf("  %-10s %s\n", c->name, c->summary);
    printf("\n'%s COMMAND --help' explains a command; '%s --version' prints the version.\n"
           "exit status: 0 done, 1 the answer is no, 2 wrong usage, 3 bad or unreadable data\n",
           program->name, program->name);
}

static void list_commands(char* text, size_t size, const wm_cli_program* program)
{
    size_t length = 0;
    text[0] = '\0';
    for (const wm_cli_command* c = program->commands; c->name != NULL && length < size; c++) {
        const char* joint = c == program->commands ? "" : c[1].name == NULL ? " and " : ", ";
        const int written = snprintf(text + length, size - length, "%s%s", joint, c->name);
        length += (size_t)written;
    }
}

static int refuse_command(const wm_cli_program* program, const char* name)
{
    char known[256];
    const wm_cli cli = {program->name, NULL, program->summary};
    list_commands(known, sizeof known, program);
    return name == NULL ? wm_cli_usage(&cli, "no command was given; there are %s", known)
                        : wm_cli_usage(&cli, "there is no command '%s', only %s", name, known);
}

static int run_command(const wm_cli_program* program, int argc, char** argv)
{
    const char* name = argc > 1 ? argv[1] : NULL;
    if (name == NULL) return refuse_command(program, NULL);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_program_help(program);
        return WM_EXIT_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        printf("%s %s\n", program->name, WAYMARK_VERSION);
        return WM_EXIT_DONE;
    }
    for (const wm_cli_command* c = program->commands; c->name != NULL; c++) {
        const wm_cli cli = {program->name, c->name, c->summary};
        if (strcmp(name, c->name) == 0) return c->run(&cli, argc - 1, argv + 1);
    }
    return refuse_command(program, name);
}

int wm_cli_main(const wm_cli_program* program, int argc, char** argv)
{
    // A file size limit is then a write that fails, and gets its sentence.
    signal(SIGXFSZ, SIG_IGN);
    const int status = run_command(program, argc, argv);
    const bool failed_before = ferror(stdout) != 0;
    errno = 0;
    const bool failed_now = fflush(stdout) != 0;
    if (!failed_before && !failed_now) return status;

    const wm_cli cli = {program->name, NULL, program->summary};
    wm_cli_note(&cli, "the standard output cannot be written (%s); write to another place",
                errno != 0 ? strerror(errno) : "write error");
    return status == WM_EXIT_USAGE ? status : WM_EXIT_DATA;
}

// ---------------------------------------------------------------------------------------------
// Options

struct arg_lit* wm_cli_help(void)
{
    return arg_lit0(NULL, "help", "print this and exit");
}

struct arg_str* wm_cli_agent_size(void)
{
    return arg_str0(NULL, "agent-size", "N",
                    "agents of N x N cells, 1 to 3; a cell is their upper left one (default 1)");
}

struct arg_end* wm_cli_end(void)
{
    return arg_end(8);
}

// As a user would type it: --db FILE, -n N, MAP.
static void option_name(char* text, size_t size, const struct arg_hdr* option, bool with_value)
{
    const char* value = option->datatype == NULL ? "" : option->datatype;
    const char* blank = with_value && value[0] != '\0' ? " " : "";
    if (!with_value) value = "";
    if (option->shortopts != NULL) {
        snprintf(text, size, "-%c%s%s", option->shortopts[0], blank, value);
    } else if (option->longopts != NULL) {
        snprintf(text, size, "--%.*s%s%s", (int)strcspn(option->longopts, ","), option->longopts,
                 blank, value);
    } else {
        snprintf(text, size, "%s", option->datatype);
    }
}

static int refuse_count(const wm_cli* cli, const struct arg_hdr* option, int code)
{
    char name[80];
    option_name(name, sizeof name, option, code == TOO_FEW);
    return code == TOO_FEW ? wm_cli_usage(cli, "%s needs %s", cli->command, name)
                           : wm_cli_usage(cli, "%s is given too often", name);
}

// argtable reports the empty value itself; the option is what stands before it.
static int refuse_empty_value(const wm_cli* cli, const char* value, int argc, char** argv)
{
    for (int i = 1; i < argc; i++)
        if (argv[i] == value && argv[i - 1][0] == '-')
            return wm_cli_usage(cli, "%s has an empty value", argv[i - 1]);
    return wm_cli_usage(cli, "an option has an empty value");
}

static int refuse_arguments(const wm_cli* cli, struct arg_end* end, int argc, char** argv)
{
    const int code = end->error[0];
    const char* value = end->argval[0] == NULL ? "" : end->argval[0];
    if (end->parent[0] != end) return refuse_count(cli, end->parent[0], code);
    switch (code) {
    case ARG_EMALLOC:
        wm_cli_note(cli, "there is no memory to read the options");
        return WM_EXIT_DATA;
    case ARG_ENOMATCH: return wm_cli_usage(cli, "'%s' is one argument too many", value);
    case ARG_ELONGOPT: return wm_cli_usage(cli, "'%s' is not an option of %s", value, cli->command);
    case ARG_EMISSARG:
        if (value[0] != '-') return refuse_empty_value(cli, value, argc, argv);
        return wm_cli_usage(cli, "%s needs a value behind it", value);
    default: return wm_cli_usage(cli, "'-%c' is not an option of %s", code, cli->command);
    }
}

static struct arg_end* find_end(void** table)
{
    while ((((struct arg_hdr*)*table)->flag & ARG_TERMINATOR) == 0) table++;
    return *table;
}

static bool asks_for_help(void** table, const struct arg_end* end)
{
    for (; *table != end; table++) {
        const struct arg_hdr* option = *table;
        if (option->longopts != NULL && strcmp(option->longopts, "help") == 0)
            return ((struct arg_lit*)*table)->count > 0;
    }
    return false;
}

// Prints words, as many to a line as fit.
static void print_wrapped(char* text, int column)
{
    for (char* word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
        const int length = 1 + (int)strlen(word);
        if (column + length > LINE_COLUMNS) column = printf("\n   ");
        column += length;
        printf(" %s", word);
    }
}

static void print_command_help(const wm_cli* cli, void** table)
{
    char* syntax = NULL;
    size_t size = 0;
    FILE* memory = open_memstream(&syntax, &size);
    if (memory != NULL) arg_print_syntax(memory, table, "");
    if (memory != NULL && fclose(memory) == 0) {
        const int column = printf("usage: %s %s", cli->program, cli->command);
        print_wrapped(syntax, column);
    }
    free(syntax);
    printf("\n\n%s\n\n", cli->summary);
    arg_print_glossary(stdout, table, "  %-28s %s\n");
}

bool wm_cli_parse(const wm_cli* cli, int argc, char** argv, void** table, int* exit_status)
{
    if (arg_nullcheck(table) != 0) {
        wm_cli_note(cli, "there is no memory to read the options");
        *exit_status = WM_EXIT_DATA;
        return false;
    }
    struct arg_end* end = find_end(table);
    const int errors = arg_parse(argc, argv, table);
    if (asks_for_help(table, end)) {
        print_command_help(cli, table);
        *exit_status = WM_EXIT_DONE;
        return false;
    }
    if (errors == 0) return true;
    *exit_status = refuse_arguments(cli, end, argc, argv);
    return false;
}

// ---------------------------------------------------------------------------------------------
// Values

bool wm_cli_refuse(const wm_cli* cli, const struct arg_str* option, const char* expected)
{
    char name[80];
    const char* value = option->sval[0];
    option_name(name, sizeof name, &option->hdr, false);
    wm_cli_usage(cli, "%s is '%s', but must be %s", name,
                 wm_text_quote((wm_text){value, strlen(value)}).text, expected);
    return false;
}

static bool is_same_file(const char* a, const char* b)
{
    struct stat first;
    struct stat second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && S_ISREG(first.st_mode) &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

bool wm_cli_check_output(const wm_cli* cli, const struct arg_file* output, const char** inputs,
                         int input_count)
{
    char name[80];
    option_name(name, sizeof name, &output->hdr, false);
    for (int i = 0; output->count > 0 && i < input_count; i++) {
        if (!is_same_file(output->filename[0], inputs[i])) continue;
        wm_cli_usage(cli, "%s %s would overwrite %s, which is read; write to another file", name,
                     output->filename[0], inputs[i]);
        return false;
    }
    return true;
}

bool wm_cli_read_u64(const char* text, size_t length, uint64_t min, uint64_t max, uint64_t* value)
{
    uint64_t number = 0;
    if (length == 0) return false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        const uint64_t digit = (uint64_t)(text[i] - '0');
        if (number > (UINT64_MAX - digit) / 10) return false;
        number = number * 10 + digit;
    }
    if (number < min || number > max) return false;
    *value = number;
    return true;
}

bool wm_cli_get_u64(const wm_cli* cli, const struct arg_str* option, uint64_t min, uint64_t max,
                    uint64_t* value)
{
    char expected[80];
    if (option->count == 0) return true;
    const char* text = option->sval[0];
    if (wm_cli_read_u64(text, strlen(text), min, max, value)) return true;
    snprintf(expected, sizeof expected, "a whole number from %llu to %llu", (unsigned long long)min,
             (unsigned long long)max);
    return wm_cli_refuse(cli, option, expected);
}

bool wm_cli_get_cost(const wm_cli* cli, const struct arg_str* option, wm_cost* value)
{
    char expected[80];
    double steps;
    if (option->count == 0) return true;
    const char* text = option->sval[0];
    if (wm_text_to_double((wm_text){text, strlen(text)}, &steps) && steps <= MAX_COST) {
        *value = (wm_cost)(steps * (double)WM_COST_STRAIGHT + 0.5);
        return true;
    }
    snprintf(expected, sizeof expected, "a number from 0 to %d", MAX_COST);
    return wm_cli_refuse(cli, option, expected);
}

bool wm_cli_get_point(const wm_cli* cli, const struct arg_str* option, wm_point* value)
{
    char expected[80];
    uint64_t x;
    uint64_t y;
    const uint64_t max = WM_GRID_MAX_SIDE - 1;
    if (option->count == 0) return true;
    const char* text = option->sval[0];
    const size_t comma = strcspn(text, ",");
    if (text[comma] == ',' && wm_cli_read_u64(text, comma, 0, max, &x) &&
        wm_cli_read_u64(text + comma + 1, strlen(text + comma + 1), 0, max, &y)) {
        *value = (wm_point){(int32_t)x, (int32_t)y};
        return true;
    }
    snprintf(expected, sizeof expected, "X,Y with whole numbers from 0 to %d",
             WM_GRID_MAX_SIDE - 1);
    return wm_cli_refuse(cli, option, expected);
}

bool wm_cli_get_rules(const wm_cli* cli, const struct arg_str* diagonal,
                      const struct arg_str* agent_size, wm_grid_rules* rules)
{
    uint64_t size = 1;
    *rules = (wm_grid_rules){.diagonal = WM_DIAGONAL_NONE};
    if (diagonal->count > 0 && !wm_diagonal_from_name(&rules->diagonal, diagonal->sval[0]))
        return wm_cli_refuse(cli, diagonal, "none or squeeze");
    if (!wm_cli_get_u64(cli, agent_size, 1, WM_GRID_MAX_AGENT_SIZE, &size)) return false;
    rules->agent_size = (int32_t)size;
    return true;
}

bool wm_cli_get_choice(const wm_cli* cli, const struct arg_str* option, const char* const* names,
                       int* value)
{
    char expected[160] = "";
    size_t length = 0;
    if (option->count == 0) return true;
    for (int i = 0; names[i] != NULL; i++) {
        const char* joint = i == 0 ? "" : names[i + 1] == NULL ? " or " : ", ";
        if (strcmp(names[i], option->sval[0]) == 0) {
            *value = i;
            return true;
        }
        if (length >= sizeof expected) break;
        length +=
            (size_t)snprintf(expected + length, sizeof expected - length, "%s%s", joint, names[i]);
    }
    return wm_cli_refuse(cli, option, expected);
}

// ---------------------------------------------------------------------------------------------
// Formats

void wm_cli_print_json(FILE* file, const char* text)
{
    fputc('"', file);
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            fprintf(file, "\\%c", c);
        } else if (c < ' ') {
            fprintf(file, "\\u%04x", c);
        } else {
            fputc(c, file);
        }
    }
    fputc('"', file);
}

void wm_cli_print_csv(FILE* file, const char* text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text != '\0'; text++) {
        if (*text == '"') fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}
