/** Texts of a form's fields by their names. */
export function textsOf(form: HTMLFormElement): Readonly<Record<string, string>> {
  const entries = [...new FormData(form)]
  return Object.fromEntries(entries.map(([key, value]) => [key, value as string]))
}
