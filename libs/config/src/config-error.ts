/** Missing or invalid environment variable. The message contains its name and the reason. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly variable: string

  constructor(variable: string, reason: string) {
    super(`${variable}: ${reason}`)
    this.variable = variable
  }
}
