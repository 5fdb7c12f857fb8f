import { asText, asTexts, string } from '../syntax.ts'
import { type Handler, ok, type ScriptCommand, type ScriptServerState } from '../command.ts'
import { ImapRejection } from '../store.ts'

function capabilityLine(command: ScriptCommand, world: ScriptServerState): string {
  const all = [...world.capabilities].filter(
    (name) => name !== 'STARTTLS' || (!command.session.secure && !command.session.user),
  )
  return `* CAPABILITY ${all.join(' ')}`
}

type Pair = readonly [user: string, secret: string]

function logIn(command: ScriptCommand, world: ScriptServerState, [user, secret]: Pair): string[] {
  const expected = world.users.get(user) ?? world.users.get('*')
  if (expected === undefined || expected !== secret)
    throw new ImapRejection('NO [AUTHENTICATIONFAILED] Invalid credentials')
  command.session.user = user
  return ok(command, [], 'Logged in')
}

const onAuthenticate: Handler = async (command, world) => {
  const mechanism = asText(command.args[0]).toUpperCase()
  if (!world.capabilities.has(`AUTH=${mechanism}`))
    throw new ImapRejection('NO [CANNOT] Unsupported mechanism')
  const { session } = command
  const ask = async (prompt: string) => {
    session.send(`+ ${prompt}`)
    return (await session.line()) ?? ''
  }
  const decode = (text: string) => Buffer.from(text, 'base64').toString()
  if (mechanism === 'LOGIN') {
    const user = decode(await ask('VXNlcm5hbWU6'))
    return logIn(command, world, [user, decode(await ask('UGFzc3dvcmQ6'))])
  }
  const response = decode(asText(command.args[1]) || (await ask('')))
  if (mechanism === 'PLAIN') {
    const [, user = '', pass = ''] = response.split('\0')
    return logIn(command, world, [user, pass])
  }
  const user = /(?:user=|a=)([^\x01,]*)/.exec(response)?.[1] ?? ''
  const token = /auth=Bearer ([^\x01]*)/.exec(response)?.[1] ?? ''
  try {
    return logIn(command, world, [user, token])
  } catch (error) {
    // The error of a bearer token is sent as a SASL challenge, to which the client replies before
    // the server sends NO (RFC 7628 §3.2.2).
    await ask(Buffer.from('{"status":"400"}').toString('base64'))
    throw error
  }
}

const onEnable: Handler = (command, world) => {
  const granted = asTexts(command.args).flatMap((each) => {
    const name = each.toUpperCase()
    return world.capabilities.has(name) ? [name] : []
  })
  for (const name of granted) command.session.enabled.add(name)
  // ENABLE QRESYNC also enables CONDSTORE (RFC 7162 §3.2.3).
  if (granted.includes('QRESYNC')) command.session.enabled.add('CONDSTORE')
  return ok(command, [`* ENABLED ${granted.join(' ')}`.trimEnd()])
}

const onNamespace: Handler = (command, { prefix, store }) => {
  const delimiter = store.delimiter === '' ? 'NIL' : string(store.delimiter)
  return ok(command, [`* NAMESPACE ((${string(prefix)} ${delimiter})) NIL NIL`])
}

/** Handler of IDLE (RFC 2177). `server.ts` sends notifications when a mailbox changes. */
const onIdle: Handler = async (command) => {
  const { session } = command
  session.idling = true
  session.send('+ idling')
  for (const line of session.takeNotifications()) session.send(line)
  try {
    const line = await session.line()
    if (line !== undefined) session.received.push(line)
    if (line?.toUpperCase() !== 'DONE') throw new ImapRejection('BAD Expected DONE')
  } finally {
    session.idling = false
  }
  return ok(command)
}

const onNotify: Handler = (command) => {
  command.session.notify = asText(command.args[0]).toUpperCase() === 'SET'
  return ok(command)
}

export const loginCommands: Record<string, Handler> = {
  CAPABILITY: (command, world) => ok(command, [capabilityLine(command, world)]),
  LOGIN: (command, world) =>
    logIn(command, world, [asText(command.args[0]), asText(command.args[1])]),
  AUTHENTICATE: onAuthenticate,
  // `server.ts` starts the TLS handshake after this reply to STARTTLS.
  STARTTLS: (command) => ok(command),
  ENABLE: onEnable,
  ID: (command) => ok(command, ['* ID ("name" "script")']),
  NAMESPACE: onNamespace,
  NOOP: (command) => ok(command),
  CHECK: (command) => ok(command),
  IDLE: onIdle,
  NOTIFY: onNotify,
  LOGOUT: (command) => ok(command, ['* BYE Logging out']),
}
