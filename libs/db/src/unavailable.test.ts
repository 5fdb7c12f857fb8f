import { expect, test } from '@jest/globals'
import { UnavailableError } from '@posthorn/errors'
import { DatabaseError } from 'pg'
import { sqlState } from './sql-state.ts'
import { asUnavailable, isResponse, toUnavailable } from './unavailable.ts'

const coded = (code: string, message = 'x') => Object.assign(new Error(message), { code })
const rejected = (code: string) => Object.assign(new DatabaseError('x', 1, 'error'), { code })

test.each([
  ['refused connection', coded('ECONNREFUSED')],
  ['refused connection, several addresses', coded('ECONNREFUSED', '')],
  ['reset connection', coded('ECONNRESET')],
  ['failed name resolution', coded('EAI_AGAIN')],
  ['unreachable host', coded('EHOSTUNREACH')],
  ['timeout of the connection', new Error('timeout expired')],
  ['timeout of the pool', new Error('timeout exceeded when trying to connect')],
  ['timeout of both', new Error('Connection terminated due to connection timeout')],
  ['terminated connection', new Error('Connection terminated unexpectedly')],
  ['timeout of a response', new Error('Query read timeout')],
  ['broken client', new Error('Client has encountered a connection error and is not queryable')],
  ['shutdown by an operator', rejected('57P01')],
  ['crash of Postgres', rejected('57P02')],
  ['start of Postgres', rejected('57P03')],
  ['too many connections', rejected('53300')],
  ['timeout of a statement', rejected('57014')],
  ['query_wait_timeout of pgbouncer', rejected('08P01')],
  ['connection failure', rejected('08006')],
  ['read-only server', rejected('25006')],
  ['lock timeout', rejected('55P03')],
  ['serialization failure', rejected('40001')],
])('asUnavailable: wraps %s', (_name, error) => {
  const wrapped = asUnavailable(error)
  expect(wrapped).toBeInstanceOf(UnavailableError)
  expect(wrapped).toMatchObject({ cause: error })
  expect((wrapped as Error).message).toMatch(/^Postgres is unavailable: ./)
  expect(asUnavailable(wrapped)).toBe(wrapped)
  expect(sqlState(wrapped)).toBe(sqlState(error))
})

test.each([
  ['unique violation', rejected('23505')],
  ['syntax error', rejected('42601')],
  ['wrong password', rejected('28P01')],
  ['error of the program', new TypeError('x is not a function')],
])('asUnavailable: returns %s unchanged', (_name, error) => {
  expect(asUnavailable(error)).toBe(error)
})

test('toUnavailable: wraps any error of opening a connection', () => {
  const refused = rejected('28P01')
  expect(toUnavailable(refused)).toMatchObject({ name: 'UnavailableError', cause: refused })
  const unavailable = new UnavailableError('x')
  expect(toUnavailable(unavailable)).toBe(unavailable)
})

test('isResponse: true for errors of Postgres, false for those of pgbouncer and the network', () => {
  for (const code of ['23505', '53300', '57P03', '57014'])
    expect([code, isResponse(rejected(code))]).toEqual([code, true])
  expect(isResponse(rejected('08P01'))).toBe(false)
  expect(isResponse(coded('ECONNREFUSED'))).toBe(false)
})
