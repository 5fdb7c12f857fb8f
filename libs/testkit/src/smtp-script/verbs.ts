import type { SmtpLogin, SmtpRejection, SmtpServerState, SmtpSession } from './contract.ts'

type Handler = (session: SmtpSession, line: string, state: SmtpServerState) => Promise<string[]>

/** Handlers of SMTP commands, which reply when no hook does. */
export const handlers: Readonly<Record<string, Handler>> = {
  async EHLO(session, line, { extensions, startTls, maxBytes }) {
    session.helo = line.slice(5)
    session.envelope = undefined
    const offered = [...extensions].map((name) => (name === 'SIZE' ? `SIZE ${maxBytes}` : name))
    if (startTls && !session.secured) offered.push('STARTTLS')
    const all = ['script.mail.test', ...offered, 'AUTH PLAIN LOGIN XOAUTH2']
    return all.map((text, index) => `250${index === all.length - 1 ? ' ' : '-'}${text}`)
  },
  async HELO(session, line) {
    session.helo = line.slice(5)
    session.envelope = undefined
    return ['250 script.mail.test']
  },
  async STARTTLS(session, _line, { startTls }) {
    return startTls && !session.secured ? ['220 2.0.0 go on'] : ['502 5.5.1 no TLS here']
  },
  async AUTH(session, line, { script }) {
    const login = await readLogin(session, line)
    if (!login) return ['501 5.5.2 what?']
    const rejection = script.behaviour.onLogin?.(login)
    if (rejection) return replyLines(rejection)
    session.user = login.user
    return ['235 2.7.0 welcome']
  },
  async MAIL(session, line, state) {
    const { script, requireLogin, extensions, maxBytes } = state
    const path = readPath(line, 'FROM')
    if (!path) return ['501 5.5.4 from whom?']
    if (requireLogin && session.user === undefined) return ['530 5.7.0 who are you?']
    if (session.envelope) return ['503 5.5.1 one at a time']
    const unknown = unsupportedParameter(path.parameters, extensions)
    if (unknown) return [`555 5.5.4 ${unknown} is not offered`]
    if (Number(/\bSIZE=(\d+)/i.exec(path.parameters)?.[1] ?? 0) > maxBytes)
      return ['552 5.3.4 too big']
    const rejection = script.behaviour.onMailFrom?.(path.address)
    if (rejection) return replyLines(rejection)
    session.envelope = { from: path.address, parameters: path.parameters, to: [] }
    return ['250 2.1.0 ok']
  },
  async RCPT(session, line, { script, extensions }) {
    const path = readPath(line, 'TO')
    if (!path) return ['501 5.5.4 to whom?']
    if (!session.envelope) return ['503 5.5.1 MAIL first']
    const unknown = unsupportedParameter(path.parameters, extensions)
    if (unknown) return [`555 5.5.4 ${unknown} is not offered`]
    const rejection = script.behaviour.onRecipient?.(path.address)
    if (rejection) return replyLines(rejection)
    session.envelope.to.push(path)
    return ['250 2.1.5 ok']
  },
  async DATA(session) {
    const { to } = session.envelope ?? { to: [] }
    return to.length > 0 ? ['354 go on'] : ['503 5.5.1 RCPT first']
  },
  async RSET(session) {
    session.envelope = undefined
    return ['250 2.0.0 ok']
  },
  NOOP: async () => ['250 2.0.0 ok'],
  QUIT: async () => ['221 2.0.0 bye'],
}

function replyLines({ code, text }: SmtpRejection): string[] {
  return [`${code} ${text}`]
}

function readPath(line: string, word: 'FROM' | 'TO') {
  const match = new RegExp(`^\\w+ ${word}: ?<([^>]*)>(.*)$`, 'i').exec(line)
  return match ? { address: match[1] ?? '', parameters: (match[2] ?? '').trim() } : undefined
}

/**
 * Returns the first parameter of an SMTP extension that is not offered, which is rejected with code
 * 555 (RFC 5321 §4.1.1.11).
 */
function unsupportedParameter(
  parameters: string,
  extensions: ReadonlySet<string>,
): string | undefined {
  const needs: Record<string, string> = {
    BODY: '8BITMIME',
    SMTPUTF8: 'SMTPUTF8',
    SIZE: 'SIZE',
    RET: 'DSN',
    ENVID: 'DSN',
    NOTIFY: 'DSN',
    ORCPT: 'DSN',
  }
  const words = parameters.split(' ').filter((word) => word !== '')
  return words.find((word) => {
    const needed = needs[word.split('=')[0]?.toUpperCase() ?? '']
    return needed === undefined || !extensions.has(needed)
  })
}

type LoginReader = (session: SmtpSession, initial: string | undefined) => Promise<SmtpLogin>

const logins: Readonly<Record<string, LoginReader>> = {
  async LOGIN(session, initial) {
    const user = decode(initial ?? (await session.prompt('334 VXNlcm5hbWU6')))
    const password = decode(await session.prompt('334 UGFzc3dvcmQ6'))
    return { method: 'LOGIN', user, password }
  },
  async PLAIN(session, initial) {
    const text = decode(initial ?? (await session.prompt('334 ')))
    const [, user = '', password = ''] = text.split('\0')
    return { method: 'PLAIN', user, password }
  },
  async XOAUTH2(session, initial) {
    const text = decode(initial ?? (await session.prompt('334 ')))
    const [, user = '', accessToken = ''] = /^user=(.*?)\x01auth=Bearer (.*?)\x01/.exec(text) ?? []
    return { method: 'XOAUTH2', user, accessToken }
  },
}

async function readLogin(session: SmtpSession, line: string): Promise<SmtpLogin | undefined> {
  const [, mechanism = '', initial] = line.split(' ')
  return logins[mechanism.toUpperCase()]?.(session, initial)
}

function decode(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8')
}
