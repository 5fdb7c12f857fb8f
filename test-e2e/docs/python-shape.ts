/**
 * Structure of a documented Python call, without its texts and numbers. Calls with the same
 * structure differ in texts only, which the calls by curl contain as well.
 */
export function pythonShape(code: string): string {
  return code
    .replaceAll(/f?"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '_')
    .replaceAll(/\b\d+\b/g, '0')
    .replaceAll(/_: (?=_|0)/g, '')
    .replaceAll(/(?:_,?\s*)+/g, '_ ')
}
