/** Text in single quotes, for bash and zsh. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Branch of a `case` of a shell. */
export function branch(pattern: string, command: string): string {
  return `    ${quote(pattern)}) ${command} ;;`
}
