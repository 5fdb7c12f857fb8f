import { expect, test } from '@jest/globals'
import {
  type Candidate,
  findUnknownPath,
  selectMain,
  selectMonitored,
  selectSubconnected,
} from './selection.ts'

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

test('selectMonitored: all selectable mailboxes', () => {
  const closed = box('Parent', null, { attributes: ['\\Noselect'] })
  expect(paths(selectMonitored([inbox, closed, work], plain))).toEqual(['INBOX', 'Work'])
})

test('selectMonitored: no unlisted mailboxes', () => {
  expect(selectMonitored([box('Gone', null, { listed: false })], plain)).toEqual([])
})

test('selectMonitored: paths, special uses, and INBOX in any case', () => {
  const choose = (names: string[]) =>
    paths(selectMonitored([inbox, sent, work], { paths: names, gmail: false }))
  expect(choose(['\\sent', 'Work'])).toEqual(['Gesendet', 'Work'])
  expect(choose(['Inbox'])).toEqual(['INBOX'])
  expect(choose(['work'])).toEqual([])
})

test('findUnknownPath: the first path that names no synced mailbox', () => {
  const find = (names: string[]) =>
    findUnknownPath([inbox, sent, work], { paths: names, gmail: false })
  expect(find(['inbox', '\\sent', 'Work'])).toBeUndefined()
  expect(find(['Work', 'work', 'nowhere'])).toBe('work')
})

const gmail = [
  inbox,
  box('Label'),
  box('[Gmail]/All Mail', '\\All'),
  box('[Gmail]/Spam', '\\Junk'),
  box('[Gmail]/Trash', '\\Trash'),
]

test('selectMonitored: All Mail, Junk and Trash of Gmail, with All Mail as main', () => {
  const choice = { paths: [], gmail: true }
  const monitored = selectMonitored(gmail, choice)
  expect(paths(monitored)).toEqual(['[Gmail]/All Mail', '[Gmail]/Spam', '[Gmail]/Trash'])
  expect(selectMain(monitored, choice)?.path).toBe('[Gmail]/All Mail')
})

test('selectMonitored: labels if All Mail is hidden, with the inbox as main', () => {
  const hidden = gmail.filter(({ specialUse }) => specialUse !== '\\All')
  const choice = { paths: [], gmail: true }
  expect(selectMonitored(hidden, choice)).toHaveLength(4)
  expect(selectMain(hidden, choice)?.path).toBe('INBOX')
})

test('selectMonitored: Gmail labels named by the registration', () => {
  expect(paths(selectMonitored(gmail, { paths: ['Label'], gmail: true }))).toEqual(['Label'])
})

test('selectMain: the inbox, else the first of paths', () => {
  const main = (names: string[]) => {
    const choice = { paths: names, gmail: false }
    return selectMain(selectMonitored([inbox, sent, work], choice), choice)?.path
  }
  expect(main([])).toBe('INBOX')
  expect(main(['Work', 'INBOX'])).toBe('INBOX')
  expect(main(['Work', '\\Sent'])).toBe('Work')
  expect(main(['nowhere'])).toBeUndefined()
})

test('selectSubconnected: neither the main mailbox nor missing ones', () => {
  expect(
    paths(selectSubconnected([inbox, sent, work], ['\\Sent', 'INBOX', 'nowhere'], inbox)),
  ).toEqual(['Gesendet'])
})
