import { readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'

/**
 * Writes a configuration file from a template in which `@NAME@` is a placeholder. Lines that begin
 * with `#` are copied unchanged.
 */
export async function fillTemplate(
  template: string,
  file: string,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  const text = await readFile(template, 'utf8')
  const filled = text.replace(/^(?!#).*$/gm, (line) =>
    line.replace(/@([A-Z_]+)@/g, (_match, name: string) => {
      const value = values[name]
      if (value === undefined)
        throw new Error(`${basename(template)} has an unknown placeholder: ${name}`)
      return value
    }),
  )
  await writeFile(file, filled, { mode: 0o644 })
}
