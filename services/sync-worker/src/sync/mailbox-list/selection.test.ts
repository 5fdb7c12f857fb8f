import { expect, test } from '@jest/globals'
import { type Candidate, selectMain, selectMonitored, selectSubconnected } from './selection.ts'

const box = (path: string, specialUse: string | null = null, over: Partial<Candidate> = {}) => ({
  path,
  specialUse,
  attributes: [],
  listed: true,
  ...over,
})
const inbox = box('INBOX', '\\Inbox')
const sent = box('Gesendet', '\\Sent')
const work = box('Work')
const plain = { paths: [], gmail: false }
const paths = (mailboxes: readonly { path: string }[]) => mailboxes.map(({ path }) => path)

test('all mailboxes that can be opened are looked after', () => {
  const closed = box('Parent', null, { attributes: ['\\Noselect'] })
  expect(paths(selectMonitored([inbox, closed, work], plain))).toEqual(['INBOX', 'Work'])
})

test('a mailbox that the last listing left out is not looked after', () => {
  expect(selectMonitored([box('Gone', null, { listed: false })], plain)).toEqual([])
})

test('a registration may name paths and special uses, and INBOX in any case', () => {
  const choose = (names: string[]) =>
    paths(selectMonitored([inbox, sent, work], { paths: names, gmail: false }))
  expect(choose(['\\sent', 'Work'])).toEqual(['Gesendet', 'Work'])
  expect(choose(['Inbox'])).toEqual(['INBOX'])
  expect(choose(['work'])).toEqual([])
})

const gmail = [
  inbox,
  box('Label'),
  box('[Gmail]/All Mail', '\\All'),
  box('[Gmail]/Spam', '\\Junk'),
  box('[Gmail]/Trash', '\\Trash'),
]

test('of Gmail All Mail, Junk and Trash are looked after, and All Mail is watched', () => {
  const choice = { paths: [], gmail: true }
  const monitored = selectMonitored(gmail, choice)
  expect(paths(monitored)).toEqual(['[Gmail]/All Mail', '[Gmail]/Spam', '[Gmail]/Trash'])
  expect(selectMain(monitored, choice)?.path).toBe('[Gmail]/All Mail')
})

test('where All Mail is hidden the labels are looked after, and the inbox is watched', () => {
  const hidden = gmail.filter(({ specialUse }) => specialUse !== '\\All')
  const choice = { paths: [], gmail: true }
  expect(selectMonitored(hidden, choice)).toHaveLength(4)
  expect(selectMain(hidden, choice)?.path).toBe('INBOX')
})

test('a registration that names labels of Gmail gets those', () => {
  expect(paths(selectMonitored(gmail, { paths: ['Label'], gmail: true }))).toEqual(['Label'])
})

test('the inbox is watched, else what the registration names first', () => {
  const main = (names: string[]) => {
    const choice = { paths: names, gmail: false }
    return selectMain(selectMonitored([inbox, sent, work], choice), choice)?.path
  }
  expect(main([])).toBe('INBOX')
  expect(main(['Work', 'INBOX'])).toBe('INBOX')
  expect(main(['Work', '\\Sent'])).toBe('Work')
  expect(main(['nowhere'])).toBeUndefined()
})

test('what is watched anyway or does not exist gets no connection of its own', () => {
  expect(
    paths(selectSubconnected([inbox, sent, work], ['\\Sent', 'INBOX', 'nowhere'], inbox)),
  ).toEqual(['Gesendet'])
})
