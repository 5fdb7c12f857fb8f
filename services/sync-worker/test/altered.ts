import { imapBackend, type ImapBackend, type MailSession } from '@posthorn/backends'

/** IMAP backend whose sessions have some methods replaced. */
export function altered(alter: (session: MailSession) => Partial<MailSession>): ImapBackend {
  return {
    async connect(options) {
      const session = await imapBackend.connect(options)
      return Object.assign(methodsOf(session), alter(session))
    },
  }
}

/**
 * Copy of a mail session whose methods can be replaced one by one. The methods are not bound
 * functions, which `await using` of Node 24 rejects.
 */
function methodsOf(session: MailSession): MailSession {
  const names = Reflect.ownKeys(Reflect.getPrototypeOf(session) ?? {})
  const methods = names.map((name): [PropertyKey, unknown] => {
    const value: unknown = Reflect.get(session, name)
    if (typeof value !== 'function') return [name, value]
    return [name, (...args: unknown[]): unknown => Reflect.apply(value, session, args)]
  })
  return { ...session, ...Object.fromEntries(methods) }
}
