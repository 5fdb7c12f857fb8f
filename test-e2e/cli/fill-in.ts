/** Replaces placeholders of a help example, such as an id, by the values of a test. */
export function fillIn(line: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce(
    (filled, [placeholder, value]) => filled.replaceAll(placeholder, value),
    line,
  )
}
