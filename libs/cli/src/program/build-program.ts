import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { UsageError } from '../exit-codes.ts'
import type { CommandContext, CommandGroup, CommandSpec, JobSpec, OptionSpec } from './command.ts'

/** Commands, jobs and services from which the command line is built. */
export interface ProgramParts {
  version: string
  commands: readonly (CommandSpec | CommandGroup)[]
  jobs: readonly JobSpec[]
  /** Names of the services, which the entry point of the program runs. */
  services: readonly string[]
  createContext: (options: Readonly<Record<string, unknown>>, spec: CommandSpec) => CommandContext
  write: (text: string) => void
  writeError: (text: string) => void
}

/** Builds the parser of the command line. Its `parseAsync` runs a command. */
export function buildProgram(parts: ProgramParts): Command {
  const program = withStreams(new Command('posthorn'), parts)
    .description('Calls a Posthorn server from the command line.')
    .usage('<command> [arguments] [options]')
    .version(`posthorn ${parts.version}`, '-v, --version', 'print the release')
    .addOption(toOption({ flags: '--url <url>', description: 'URL of the server (POSTHORN_URL)' }))
    .addOption(
      toOption({
        flags: '--token-file <path>',
        description: 'file with the access token, `-` for standard input (POSTHORN_TOKEN)',
      }),
    )
    .option('--json', 'print JSON: a value per line')
    .helpOption('-h, --help', 'show the help of a command')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText('after', footer(parts.services))
  for (const part of parts.commands)
    if ('commands' in part) addGroup(program, part, parts)
    else addCommand(program, part, parts)
  program.commandsGroup('Jobs of the server:')
  for (const job of parts.jobs) addJob(program, job, parts)
  for (const name of parts.services) addService(program, name, parts)
  return program
}

const footer = (services: readonly string[]) => `
Services: ${services.join(', ')}
Exit codes: 0 success, 1 failed, 2 wrong arguments, 3 server not reachable.
\`posthorn login\` stores the URL and the token.`

function withStreams(command: Command, { write, writeError }: ProgramParts): Command {
  return command
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: writeError })
    .showHelpAfterError('The option --help shows commands and options.')
}

function addGroup(
  program: Command,
  { name, summary, commands }: CommandGroup,
  parts: ProgramParts,
) {
  const group = withStreams(new Command(name), parts).description(summary)
  for (const command of commands) addCommand(group, command, parts)
  program.addCommand(group)
}

function addCommand(parent: Command, spec: CommandSpec, parts: ProgramParts): void {
  const command = withStreams(new Command(spec.name), parts)
    .summary(spec.summary)
    .description(spec.details === undefined ? spec.summary : `${spec.summary}\n\n${spec.details}`)
    .allowExcessArguments(false)
  for (const { name, description } of spec.arguments ?? [])
    command.addArgument(new Argument(name, description))
  for (const option of spec.options ?? []) command.addOption(toOption(option))
  if (spec.confirm) command.option('-y, --yes', 'do not ask for a confirmation')
  const lines = spec.examples.map(({ purpose, line }) => `  # ${purpose}\n  posthorn ${line}`)
  command.addHelpText('after', `\nExamples:\n${lines.join('\n\n')}`)
  command.action(async () => {
    const options = command.optsWithGlobals()
    const args = command.processedArgs.flat().filter((arg) => arg !== undefined) as string[]
    // An empty argument may come from a variable of a script that has no value.
    if (args.includes('')) throw new UsageError('an argument is empty: pass a value')
    const context = parts.createContext(options, spec)
    if (spec.confirm && options['yes'] !== true) await confirm(context, spec.confirm(args, options))
    const run = await spec.load()
    await run(context, args, options)
  })
  parent.addCommand(command)
}

async function confirm(context: CommandContext, question: string): Promise<void> {
  if (!(await context.prompt.confirm(question)))
    throw new UsageError('not confirmed: nothing changed')
}

function toOption({ flags, description, ...spec }: OptionSpec): Option {
  const option = new Option(flags, description)
  const { parse = (text: string) => text, repeatable, mayBeEmpty = false } = spec
  if (spec.default !== undefined) option.default(spec.default)
  if (spec.required) option.makeOptionMandatory()
  const convert = (text: string) => {
    if (text === '' && !mayBeEmpty) throw new InvalidArgumentError('expected a value')
    return parseWith(parse, text)
  }
  if (spec.choices) option.choices(spec.choices)
  // Flags such as `--json` have no text to convert.
  else if (!option.required) return option
  else if (repeatable)
    option.argParser((text: string, previous: unknown[] | undefined) => [
      ...(previous ?? []),
      convert(text),
    ])
  else option.argParser(convert)
  return option
}

/**
 * Converts the text of a command line option. Commander adds the name of the option to the error.
 */
function parseWith(parse: (text: string) => unknown, text: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    throw error instanceof UsageError ? new InvalidArgumentError(error.message) : error
  }
}

/**
 * Lists a one-time command of the container image (job), such as `migrate`, in the help of
 * `posthorn`. The entry point of the program runs jobs before this parser. A command group with the
 * name of a job shows the help of the group and of the job.
 */
function addJob(program: Command, { name, summary, help }: JobSpec, parts: ProgramParts): void {
  const group = program.commands.find((command) => command.name() === name)
  if (group) {
    group.addHelpText('after', `\nWithout a command, a job of the server:\n\n${help}`)
    return
  }
  const command = withStreams(new Command(name), parts).summary(summary)
  command.helpInformation = () => help
  // The action of a job's command runs only if a global option precedes the job, such as `posthorn
  // --json migrate`.
  command.action(() => {
    throw new UsageError(`name the job first: posthorn ${name}`)
  })
  program.addCommand(command)
}

/**
 * Adds the help of a service, such as `sender`, to `posthorn`. The list of commands does not
 * contain services.
 */
function addService(program: Command, name: string, parts: ProgramParts): void {
  const command = withStreams(new Command(name), parts)
  command.helpInformation = () =>
    `Usage: posthorn ${name}\n\nRuns the service until SIGTERM. deploy/configuration.md lists its environment variables.\n`
  command.action(() => {
    throw new UsageError(`name the service first: posthorn ${name}`)
  })
  program.addCommand(command, { hidden: true })
}

/**
 * True for errors by which the command line parser ends after it has printed the help or the
 * version.
 */
export function isHelp(error: unknown): boolean {
  return error instanceof CommanderError && error.exitCode === 0
}

/** True for errors that the command line parser has printed: wrong arguments. */
export function isWrongUsage(error: unknown): boolean {
  return error instanceof CommanderError && error.exitCode !== 0
}
