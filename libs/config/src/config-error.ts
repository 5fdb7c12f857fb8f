/** A variable that is missing or wrong. The message names it and says why; the process that reads it exits with 1. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly variable: string

  constructor(variable: string, reason: string) {
    super(`${variable}: ${reason}`)
    this.variable = variable
  }
}
