import { afterAll, expect, test } from '@jest/globals'
import type { Operation } from '@posthorn/contracts/define'
import { allOperations } from '@posthorn/contracts/operations'
import { admin } from './gateway.ts'
import type { Field, FieldKind, Tenant } from './tenant-fields.ts'
import { classify, hasBody, requestWith } from './tenant-requests.ts'
import { type OwnTenant, tenants } from './tenants.ts'

const world = await tenants()
afterAll(world.stop)
const { call, commands, leaks, listener, newTenant, other, send, stored } = world
const before = await stored()

/** True if a token bound to an account can pass the checks of the operation. */
const isOpen = ({ path, boundBy, scope }: Operation) =>
  scope === 'api' && (path.includes('/:account') || boundBy !== undefined)
const isForbiddenTo = (variant: Variant, { permission: { group } }: Operation) =>
  variant === 'limited' && group === 'admin'

const variants = ['bound', 'limited'] as const
type Variant = (typeof variants)[number]

interface Row {
  operation: Operation
  field: Field
  kind: FieldKind
}

const rows = allOperations
  .filter(isOpen)
  .flatMap((operation) => classify(operation).naming.map((row) => ({ operation, ...row })))
/** Last fields of the operations, after which the stored rows are compared. */
const lastRows = new Set(rows.filter(({ operation }, at) => operation !== rows[at + 1]?.operation))
const nameOf = ({ operation, field }: Row) => `${operation.id} ${field.label}`

/** Request fields that are rejected even with a value of the requesting tenant, with the reason. */
const withoutControl: Record<string, string> = {
  'updateAccount body.oauth2.auth.delegatedUser': 'only operators delegate',
  'updateAccount body.oauth2.auth.delegatedAccount': 'only operators delegate',
  'submitMessage body.proxy': 'only operators choose a proxy per message',
  'submitDraft body.proxy': 'only operators choose a proxy per message',
  'createTemplate body.id': 'only a token without an account chooses an id',
}

/**
 * Request fields in which a value of another tenant has no effect, although most fields of their
 * kind refuse such values.
 */
const overridden: Record<string, string> = {
  'createTemplate body.account': 'the template is created for the account of the token',
}

/**
 * Returns all faults in the treatment of an API request in which a field names an object of the
 * other tenant.
 */
async function problemsOf(token: string, row: Row, own: Tenant): Promise<string[]> {
  const value = row.kind.of(other)
  const response = await send(token, requestWith(row.operation, own, { field: row.field, value }))
  const { status } = response
  const isRefused = row.kind.foreign === 'refused' && !(nameOf(row) in overridden)
  const misdirected = commands.splice(0).filter(({ account }) => account === other['account'])
  return [
    ...(status >= 500 ? [`status ${status}`] : []),
    ...(isRefused && ![400, 403, 404].includes(status) ? [`is accepted: ${status}`] : []),
    ...leaks(response, value).map((text) => `reveals ${text}`),
    ...misdirected.map(({ command }) => `sends ${command} to the other account`),
  ]
}

test('every text field of a request is classified in tenant-fields.ts', () => {
  const missing = allOperations.flatMap((operation) =>
    classify(operation).unclassified.map((label) => `${operation.id} ${label}`),
  )
  expect(missing).toEqual([])
  const exceptions = [...Object.keys(withoutControl), ...Object.keys(overridden)]
  expect(exceptions.filter((name) => !rows.some((row) => nameOf(row) === name))).toEqual([])
  const bodiless = allOperations.filter((operation) => isOpen(operation) && !hasBody(operation))
  expect(bodiless.map(({ id }) => id)).toEqual([])
})

test.each(rows.map((row) => [nameOf(row), row] as const))(
  '%s: the value of another tenant reaches nothing of it, the own value is accepted',
  async (name, row) => {
    for (const variant of variants) {
      if (isForbiddenTo(variant, row.operation)) continue
      const { own, ...tokens }: OwnTenant = await newTenant()
      expect(await problemsOf(tokens[variant], row, own)).toEqual([])
      const value = row.kind.of(own)
      const request = requestWith(row.operation, own, { field: row.field, value })
      const response = await send(tokens[variant], request)
      if (name in withoutControl) expect([400, 403]).toContain(response.status)
      else expect(response).toMatchObject({ status: 200 })
      expect(leaks(response)).toEqual([])
      for (const { account = own['account'] } of commands.splice(0))
        expect(account).toBe(own['account'])
    }
    if (lastRows.has(row)) expect(await stored()).toEqual(before)
  },
)

let shared: Promise<OwnTenant> | undefined

/** Tenant for requests that are refused, so that the requests change nothing of the tenant. */
function sharedTenant(): Promise<OwnTenant> {
  shared ??= newTenant()
  return shared
}

/** Kinds of objects that belong to one account and that api-gateway finds by their id. */
const objects = ['template', 'queueId', 'token', 'exportId']
const isObject = ({ kind }: Row) => objects.some((name) => kind.of(other) === other[name])

/** API response without the value that the request has sent, and without headers that vary. */
const withoutValue = ({ status, text }: { status: number; text: string }, value: string) => ({
  status,
  body: (text.split('\n').at(-1) ?? '').replaceAll(value, '…'),
})

test.each(rows.filter(isObject).map((row) => [nameOf(row), row] as const))(
  '%s: an id of another account has the response of an unknown id',
  async (_name, row) => {
    const value = row.kind.of(other)
    // An unknown id that has the length and form of the id of the other tenant's object.
    const unknown = `${value.slice(0, -4)}${value.endsWith('AAAA') ? 'AAAB' : 'AAAA'}`
    for (const variant of variants) {
      if (isForbiddenTo(variant, row.operation)) continue
      const { own, ...tokens } = await sharedTenant()
      const responseTo = async (sent: string) => {
        const request = requestWith(row.operation, own, { field: row.field, value: sent })
        return withoutValue(await send(tokens[variant], request), sent)
      }
      expect(await responseTo(value)).toEqual(await responseTo(unknown))
    }
    commands.splice(0)
  },
)

test.each(allOperations.map((operation) => [operation.id, operation] as const))(
  '%s: tokens without access are rejected before the request is read',
  async (_id, operation) => {
    const tokens = await sharedTenant()
    for (const variant of variants) {
      if (isOpen(operation) && !isForbiddenTo(variant, operation)) continue
      for (const { field, kind } of [...classify(operation).naming, {}]) {
        const options = field && kind ? { field, value: kind.of(other) } : {}
        const response = await send(tokens[variant], requestWith(operation, other, options))
        expect(response.status).toBe(403)
        expect(response.text).toMatch(/"message":"(?:Unauthorized|A token with restricted) /)
        expect(leaks(response)).toEqual([])
      }
    }
    expect(commands.splice(0)).toEqual([])
  },
)

test('requests without access changed no stored row', async () => {
  expect(await stored()).toEqual(before)
})

test('no request made api-gateway connect to a URL that it contained', () => {
  expect(listener.requests).toEqual([])
})

/** Fields by which a bound token makes Posthorn connect to a server, each with its limit. */
const leading: Record<string, string> = {
  'updateAccount body.webhooks': 'egress policy of webhooks; not with stored headers',
  'updateAccount body.oauth2.redirectUrl': 'opened by the browser of the owner, after consent',
  'updateAccount body.proxy': 'refused',
  'updateAccount body.smtpEhloName': 'a name, no destination',
  'updateAccount body.imap.host': 'egress policy and ports of mail; not with stored credentials',
  'updateAccount body.smtp.host': 'egress policy and ports of mail; not with stored credentials',
  'submitMessage body.proxy': 'refused',
  'submitMessage body.localAddress': 'one of the setting localAddresses',
  'submitMessage body.baseUrl': 'links in messages of the account only',
  'submitDraft body.proxy': 'refused',
  'submitDraft body.localAddress': 'one of the setting localAddresses',
}

test('fields of bound tokens that lead to a host are listed with their limit', () => {
  const values = ['url', 'host', 'proxy', 'ip'].map((name) => other[name])
  const leadingRows = rows.filter(({ kind }) => values.includes(kind.of(other))).map(nameOf)
  expect(leadingRows.sort()).toEqual(Object.keys(leading).sort())
})

test('updateAccount: bound token with new credentials, sets servers but no proxy', async () => {
  const { own, bound } = await newTenant()
  const { account = '' } = own
  const update = (body: object) => call('PUT', `/v1/account/${account}`, { token: bound, body })
  const auth = { user: 'new@mail.example', pass: 'new' }
  const servers = {
    imap: { host: 'imap.new.example', port: 993, secure: true, auth },
    smtp: { host: 'smtp.new.example', port: 465, secure: true, auth },
  }
  const refused = { message: 'A token that is bound to an account can not set a proxy' }
  await call('PUT', `/v1/account/${account}`, { body: { oauth2: false, proxy: '' } })
  expect((await update({ ...servers, proxy: other['proxy'] })).body).toMatchObject(refused)
  expect((await update(servers)).status).toBe(200)
})

/** Row of the test matrix: an API operation and one of its fields. */
function rowOf(id: string, label: string): Row {
  const row = rows.find((one) => nameOf(one) === `${id} ${label}`)
  if (!row) throw new Error(`There is no ${label}`)
  return row
}

test('self-test: a token that reaches the other account is detected', async () => {
  const { own } = await newTenant()
  const problems = (id: string) => problemsOf(admin, rowOf(id, 'params.account'), own)
  const read = await problems('getAccount')
  expect(read).toContain('is accepted: 200')
  expect(read).toContainEqual(expect.stringContaining('reveals '))
  expect(await problems('syncAccount')).toContain('sends syncAccount to the other account')
  const template = rowOf('getTemplate', 'params.template')
  expect(await problemsOf(admin, template, own)).toContain('is accepted: 200')
  expect(await stored()).toEqual(before)
  await problems('reconnectAccount')
  expect(await stored()).not.toEqual(before)
})

test('self-test: a new field that no table classifies is detected', () => {
  const { body } = requestSchema()
  const operation = { ...rowOf('syncAccount', 'params.account').operation, body }
  expect(classify(operation).unclassified).toEqual(['body.sharedDrive'])
})

function requestSchema() {
  return { body: { type: 'object', properties: { sharedDrive: { type: 'string' } } } }
}
