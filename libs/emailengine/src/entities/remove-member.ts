/**
 * Removes the member at a path such as `imap.tls.ciphers` from the input of an imported entity. Of
 * a list, removes the whole element. Returns false if there is no such member.
 */
export function removeMember(value: object, path: string): boolean {
  const parts = path.split('.')
  // Names of members in an imported entity's path may contain dots.
  for (let length = parts.length; length > 0; length--) {
    const name = parts.slice(0, length).join('.')
    if (!Object.hasOwn(value, name)) continue
    if (Array.isArray(value)) return value.splice(Number(name), 1).length > 0
    if (length === parts.length) return Reflect.deleteProperty(value, name)
    const member = (value as Record<string, unknown>)[name]
    if (member === null || typeof member !== 'object') return false
    return removeMember(member, parts.slice(length).join('.'))
  }
  return false
}
