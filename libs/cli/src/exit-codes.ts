/** Exit codes of the command line. */
export const exitCodes = {
  success: 0,
  /** The command failed, or the API refused a call. */
  failed: 1,
  /** Wrong arguments, or not confirmed. Nothing was changed. */
  usage: 2,
  /** No complete response from the API. */
  unreachable: 3,
  /** SIGINT ended the command, as in a shell: 128 plus the number of the signal. */
  interrupted: 130,
} as const

/** Failure of a command with the text for the user: the problem and its remedy. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Failure because of wrong arguments. */
export class UsageError extends CommandError {
  constructor(message: string) {
    super(message, exitCodes.usage)
  }
}
