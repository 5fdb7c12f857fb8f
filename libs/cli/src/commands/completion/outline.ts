import type { CommandGroup, CommandSpec, JobSpec, OptionSpec } from '../../program/command.ts'

/** Option of a command, with the details that shell completion needs. */
export interface OutlineOption {
  /** Flags of an option without their values, such as `-y` and `--yes`. */
  flags: string[]
  hasValue: boolean
  choices: readonly string[]
  description: string
}

/** Command, command group or job, with everything that can follow it on the command line. */
export interface OutlineNode {
  /**
   * Words of the command line that lead to a command, command group or job, such as `accounts
   * list`. Empty for the program.
   */
  path: string
  children: { name: string; summary: string }[]
  options: OutlineOption[]
}

/** Global options, which every command of the program has. */
const globalOptions: readonly OptionSpec[] = [
  { flags: '--url <url>', description: 'URL of the server' },
  { flags: '--token-file <path>', description: 'file with the access token' },
  { flags: '--json', description: 'print JSON: a value per line' },
  { flags: '-h, --help', description: 'show the help' },
]

/**
 * Nodes of the command line for shell completion: the program itself, groups, commands and jobs.
 */
export function outline(
  parts: readonly (CommandSpec | CommandGroup)[],
  jobs: readonly JobSpec[],
): OutlineNode[] {
  const global = globalOptions.map(toOption)
  const children = [...parts, ...jobs].map(({ name, summary }) => ({ name, summary }))
  const ofCommand = (path: string, { options = [], confirm }: CommandSpec): OutlineNode => ({
    path,
    children: [],
    options: [...[...options, ...(confirm ? [yes] : [])].map(toOption), ...global],
  })
  return [
    { path: '', children, options: global },
    ...parts.flatMap((part) =>
      'commands' in part
        ? [
            {
              path: part.name,
              children: part.commands.map(({ name, summary }) => ({ name, summary })),
              options: global,
            },
            ...part.commands.map((command) => ofCommand(`${part.name} ${command.name}`, command)),
          ]
        : [ofCommand(part.name, part)],
    ),
  ]
}

const yes: OptionSpec = { flags: '-y, --yes', description: 'do not ask for a confirmation' }

function toOption({ flags, description, choices = [] }: OptionSpec): OutlineOption {
  const names = flags.split(/[ ,]+/).filter((word) => word.startsWith('-'))
  return { flags: names, hasValue: /[<[]/.test(flags), choices, description }
}
