import { InputError } from './load-state.ts'

/**
 * JSON object in a text that a person has entered. `subject` names the text in errors.
 *
 * @throws InputError with the position of the mistake, or if the JSON is not an object
 */
export function readJsonObject(text: string, subject: string): Record<string, unknown> {
  const value = parse(text, subject)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InputError(`${subject} must be a JSON object.`)
  return value as Record<string, unknown>
}

function parse(text: string, subject: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new InputError(`${subject} must be valid JSON: ${(error as Error).message}`)
  }
}
