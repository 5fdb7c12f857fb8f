/**
 * Error for a missing or invalid environment variable. The message contains the variable's name and
 * the reason.
 */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly variable: string

  constructor(variable: string, reason: string) {
    super(`${variable}: ${reason}`)
    this.variable = variable
  }
}
