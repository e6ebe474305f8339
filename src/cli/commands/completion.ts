/** `vitrine completion`: scripts for shells to complete commands, options and their values. */
import type { Command, CommandDefinition } from "../main/command.js";
import { COMMON_OPTIONS } from "../settings/common.js";
import { isFlag, type Option, UsageError } from "../settings/options.js";

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

export const completionCommand: CommandDefinition = {
  operands: "bash | zsh | fish",
  summary: "writes a script for your shell that completes commands, options and values",
  examples: [
    "completion bash > ~/.local/share/bash-completion/completions/vitrine",
    'completion zsh > "$HOME/.zfunc/_vitrine"',
    "completion fish > ~/.config/fish/completions/vitrine.fish",
  ],
  async run(options, { stdout, commands }) {
    const shell = options.positionals[0]!;
    if (!Object.hasOwn(SHELLS, shell)) throw new UsageError(`name one shell: ${Object.keys(SHELLS).join(", ")}`);
    stdout.write(SHELLS[shell as keyof typeof SHELLS](await commands()));
  },
};

function optionsOf({ options }: Command): readonly Option[] {
  return [...options, ...COMMON_OPTIONS].filter(isFlag);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The script for bash: completes the options of the given command, values where an option has choices, and files otherwise. */
function bashScript(commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name).join(" ");
  const cases = commands.map((command) => {
    const flags = optionsOf(command).map(({ name }) => `--${name}`);
    return `    ${command.name}) words=${quoted(flags.join(" "))} ;;`;
  });
  const chosen = commands.flatMap((command) =>
    command.options.flatMap(({ name, choices }) =>
      choices === undefined ? [] : [`    "${command.name} --${name}") words=${quoted(choices.join(" "))} ;;`],
    ),
  );
  return [
    "# bash completion of vitrine",
    "_vitrine() {",
    `  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" words=`,
    "  COMPREPLY=()",
    `  if [ "$COMP_CWORD" = 1 ]; then COMPREPLY=($(compgen -W ${quoted(`${names} help --version`)} -- "$current")); return; fi`,
    '  case "$command $before" in',
    ...chosen,
    "  esac",
    '  if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$current")); return; fi',
    '  if [[ "$current" != -* ]]; then return; fi',
    '  case "$command" in',
    ...cases,
    "  esac",
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    "}",
    "complete -o default -F _vitrine vitrine",
    "",
  ].join("\n");
}

/** The script for zsh: completes the same, and shows the help texts. */
function zshScript(commands: readonly Command[]): string {
  const shown = (text: string): string => text.replace(/[[\]:\\]/g, "\\$&");
  const names = commands.map(({ name, summary }) => `    ${quoted(`${name}:${shown(summary)}`)}`);
  const cases = commands.flatMap((command) => [
    `    ${command.name}) _arguments \\`,
    ...optionsOf(command).map(({ name, value, many, choices, help }) => {
      const action = choices === undefined ? "_files" : `(${choices.join(" ")})`;
      const taken = value === undefined ? "" : `:${shown(value)}:${action}`;
      return `      ${quoted(`${many ? "*" : ""}--${name}[${shown(help)}]${taken}`)} \\`;
    }),
    "      '*:file:_files' ;;",
  ]);
  return [
    "#compdef vitrine",
    "_vitrine() {",
    "  local -a commands=(",
    ...names,
    "  )",
    "  if (( CURRENT == 2 )); then _describe command commands; return; fi",
    "  local command=$words[2]",
    "  shift words; (( CURRENT-- ))",
    "  case $command in",
    ...cases,
    "  esac",
    "}",
    "compdef _vitrine vitrine",
    "",
  ].join("\n");
}

/** The script for fish: one line for each command and each of its options. */
function fishScript(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => [
    `complete -c vitrine -n __fish_use_subcommand -f -a ${command.name} -d ${quoted(command.summary)}`,
    ...optionsOf(command).map(({ name, value, choices, help }) => {
      const words = choices === undefined ? " -r" : ` -x -a ${quoted(choices.join(" "))}`;
      const taken = value === undefined ? "" : words;
      return `complete -c vitrine -n '__fish_seen_subcommand_from ${command.name}' -l ${name}${taken} -d ${quoted(help)}`;
    }),
  ]);
  return `# fish completion of vitrine\n${lines.join("\n")}\n`;
}
