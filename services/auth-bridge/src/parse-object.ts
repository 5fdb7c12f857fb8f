/**
 * Parses a JSON object or array that is untrusted or contains secrets. Undefined for any other
 * text. The error of the JSON parser is not thrown, because it would quote the text.
 */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object'
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
