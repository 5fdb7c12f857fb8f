/** Quotes a text for bash and zsh with single quotes. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Branch of a `case` statement in a shell script. */
export function branch(pattern: string, command: string): string {
  return `    ${quote(pattern)}) ${command} ;;`
}
