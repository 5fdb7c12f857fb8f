import type { Operation } from '@posthorn/contracts'
import { registration } from './gateway.ts'
import type { Things } from './tenants.ts'

/** Fields that name an object of an account. Operations with one need a body below. */
const ofAccounts = /^(?:account|delegatedAccount|template|message|attachment|token|queueId)$/

type Bodies = Record<string, object[]>

/** Valid bodies that name objects of the other account. */
export function bodiesNaming(things: Things): Bodies {
  const { account, template, message, attachment, app } = things
  const delegation = { delegatedUser: 'you@mail.example', delegatedAccount: account }
  const letter = { to: { address: 'me@mail.example' }, subject: 'x', text: 'x' }
  const reference = { message, inline: true, action: 'forward', forwardAttachments: true }
  const attachments = [{ reference: attachment }]
  const update = { flags: { add: ['\\Seen'] } }
  const search = { emailIds: ['1'] }
  return {
    createAccount: [{ ...registration('other'), account, name: 'Taken' }],
    updateAccount: [
      { name: 'Taken' },
      { oauth2: { provider: app, auth: { user: 'me@mail.example', ...delegation } } },
    ],
    reconnectAccount: [{ reconnect: true }],
    syncAccount: [{ sync: true }],
    flushAccount: [{ flush: true }],
    createMailbox: [{ path: ['Taken'] }],
    updateMailbox: [{ path: 'INBOX', newPath: ['Taken'] }],
    updateMessage: [update],
    moveMessage: [{ path: 'Taken' }],
    updateMessages: [{ search, update }],
    moveMessages: [{ search, path: 'Taken' }],
    deleteMessages: [{ search }],
    searchMessages: [{ search }],
    uploadMessage: [
      { path: 'INBOX', ...letter },
      { path: 'INBOX', ...letter, reference },
      { path: 'INBOX', ...letter, attachments },
    ],
    submitMessage: [
      letter,
      { ...letter, reference },
      { ...letter, attachments },
      { to: letter.to, template },
      { mailMerge: [{ to: letter.to }], template },
    ],
    submitDraft: [{}],
    createTemplate: [{ account, name: 'Taken', content: { text: 'x' } }],
    updateTemplate: [{ name: 'Taken' }],
    createToken: [{ account }],
    createTokenAlias: [{ account }],
    updateSettings: [{ webhooks: 'https://taken.example/' }],
    addToBlocklist: [{ account, recipient: 'new@mail.example' }],
    createGateway: [{ gateway: 'shared', name: 'Taken', host: 'taken.example', port: 25 }],
    updateGateway: [{ name: 'Taken' }],
    updateQueue: [{ paused: true }],
  }
}

/** Fields of a body that name an object of an account and have no body above. */
export function untried(operation: Operation, bodies: readonly object[]): string[] {
  const has = (name: string, value: unknown): boolean =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).some(([key, inner]) => key === name || has(name, inner))
  return fieldNames(operation.body).filter(
    (name) => ofAccounts.test(name) && !bodies.some((body) => has(name, body)),
  )
}

function fieldNames(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties = {} } = schema as { properties?: object }
  return [...Object.keys(properties), ...Object.values(schema).flatMap(fieldNames)]
}
