/** Exit codes of the program `posthorn`. */
export const exitCodes = {
  success: 0,
  /** Exit code of `posthorn` if a command failed, or the API refused a call. */
  failed: 1,
  /**
   * Exit code of `posthorn` for wrong arguments of a command, or without the user's confirmation.
   * The command has changed nothing.
   */
  usage: 2,
  /** Exit code of `posthorn` if the API sent no complete response. */
  unreachable: 3,
  /**
   * Exit code of `posthorn` if SIGINT ended a command, as in a shell: 128 plus the number of the
   * signal.
   */
  interrupted: 130,
} as const

/** Failure of a command of `posthorn`, with the text for the user: the problem and its remedy. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Failure of a command because of wrong arguments. */
export class UsageError extends CommandError {
  constructor(message: string) {
    super(message, exitCodes.usage)
  }
}
