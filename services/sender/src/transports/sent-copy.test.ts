import { expect, test } from '@jest/globals'
import type { SendingAccount } from '../store/submission.ts'
import { type FilingInput, isFiledByServer, planFiling } from './sent-copy.ts'

interface Facts
  extends Pick<FilingInput, 'filing'>, Pick<SendingAccount, 'backend' | 'imap' | 'smtp' | 'copy'> {
  gateway: string | null
}
const at = (host: string) => ({ host, port: 993 })
const own: Facts = {
  filing: null,
  gateway: null,
  backend: 'imap',
  imap: at('imap.example.com'),
  smtp: at('smtp.example.com'),
  copy: null,
}
const account = {
  account: 'a',
  isTenantsServer: false,
  byOAuth2: false,
  smtpEhloName: null,
  proxy: null,
  version: '1',
}
function inputOf(facts: Partial<Facts>): FilingInput {
  const { filing, gateway, backend, imap, smtp, copy } = { ...own, ...facts }
  return {
    filing,
    gateway: gateway === null ? undefined : { name: gateway, server: undefined },
    sender: { ...account, backend, imap, smtp, copy },
  }
}
const gmail = { imap: at('imap.gmail.com'), smtp: at('smtp.gmail.com') }
const outlook = { imap: at('Outlook.Office365.com'), smtp: at('smtp.office365.com.') }
const disabled = { disabled: true as const }
const graph = { backend: 'graph' as const, imap: null, smtp: null }

interface Case {
  name: string
  input: Partial<Facts>
  copy: boolean
}
const cases: Case[] = [
  { name: 'no preference', input: {}, copy: true },
  { name: 'account without copies', input: { copy: false }, copy: false },
  { name: 'account with copies', input: { copy: true }, copy: true },
  {
    name: 'submission with, account without copies',
    input: { copy: false, filing: { copy: true } },
    copy: true,
  },
  {
    name: 'submission without, account with copies',
    input: { copy: true, filing: { copy: false } },
    copy: false,
  },
  { name: 'Gmail', input: gmail, copy: false },
  { name: 'Outlook', input: outlook, copy: false },
  {
    name: 'Gmail account with a gateway',
    input: { ...gmail, gateway: 'g' },
    copy: true,
  },
  {
    name: 'Gmail account with another SMTP server',
    input: { ...gmail, smtp: at('smtp.example.com') },
    copy: true,
  },
  { name: 'Gmail, account with copies', input: { ...gmail, copy: true }, copy: true },
  {
    name: 'Gmail, submission with a copy',
    input: { ...gmail, filing: { copy: true } },
    copy: true,
  },
  {
    name: 'gateway, account without copies',
    input: { gateway: 'g', copy: false },
    copy: false,
  },
  {
    name: 'host name that only ends like Gmail’s',
    input: { imap: at('imap.notgmail.com') },
    copy: true,
  },
  { name: 'account without IMAP', input: { imap: null, filing: { copy: true } }, copy: false },
  { name: 'disabled IMAP', input: { imap: disabled, copy: true }, copy: false },
  { name: 'account of an API', input: graph, copy: false },
  { name: 'account of an API with a gateway', input: { ...graph, gateway: 'g' }, copy: true },
]
test.each(cases)('planFiling: $name, copy $copy', ({ input, copy }) => {
  expect(planFiling(inputOf(input))?.copy ?? false).toBe(copy)
})

test('planFiling: without a copy, plans flag and draft only', () => {
  const reference = { message: 'm', action: 'reply' as const }
  expect(planFiling(inputOf({ copy: false, filing: { reference } }))).toEqual({
    copy: false,
    reference,
  })
  expect(planFiling(inputOf({ ...gmail, filing: { draft: 'd' } }))).toEqual({
    copy: false,
    draft: 'd',
  })
  expect(planFiling(inputOf({ copy: false, filing: { sentMailPath: 'x' } }))).toBeNull()
  expect(planFiling(inputOf({ imap: null, filing: { reference } }))).toBeNull()
  expect(planFiling(inputOf({ ...graph, filing: { reference } }))).toEqual({
    copy: false,
    reference,
  })
})

test('isFiledByServer: own server of a provider or copy false, returns true', () => {
  const isFiled = (input: Partial<Facts>) => isFiledByServer(inputOf(input))
  expect([isFiled({}), isFiled(gmail), isFiled(outlook), isFiled({ copy: false })]).toEqual([
    false,
    true,
    true,
    true,
  ])
  expect(isFiled({ ...gmail, gateway: 'g' })).toBe(false)
  expect([isFiled(graph), isFiled({ ...graph, gateway: 'g' })]).toEqual([true, false])
  expect(isFiled({ copy: false, imap: disabled })).toBe(false)
})
