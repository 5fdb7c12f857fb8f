import { expect, test } from '@jest/globals'
import { CommandTracker } from './command-tracker.ts'

type Step = ['client' | 'server', string, isBusy: boolean]

/**
 * Runs the steps of an IMAP session through the command tracker, each step as one chunk or byte by
 * byte.
 */
function run(steps: Step[], split: boolean): boolean[] {
  const tracker = new CommandTracker()
  return steps.map(([side, text]) => {
    const bytes = Buffer.from(text, 'latin1')
    const chunks = split ? Array.from(bytes, (byte) => Buffer.of(byte)) : [bytes]
    for (const chunk of chunks)
      if (side === 'client') tracker.onSent(chunk)
      else tracker.onReceived(chunk)
    return tracker.isBusy
  })
}

const dialogs: Record<string, Step[]> = {
  'command without arguments': [
    ['client', 'a1 NOOP\r\n', true],
    ['server', '* 3 EXISTS\r\n', true],
    ['server', 'a1 OK done\r\n', false],
  ],
  'FETCH of a large message': [
    ['client', 'a UID FETCH 1 BODY[]\r\n', true],
    ['server', `* 1 FETCH (BODY[] {5000}\r\n${'x'.repeat(4_998)}\r\n)\r\n`, true],
    ['server', 'a OK done\r\n* 4 EXISTS\r\n', false],
  ],
  IDLE: [
    ['client', 'i IDLE\r\n', false],
    ['server', '+ idling\r\n* 4 EXISTS\r\n', false],
    ['client', 'DONE\r\n', true],
    ['server', 'i OK done\r\n', false],
  ],
  'APPEND, whose literal contains a command': [
    ['client', 'b APPEND INBOX {23}\r\n', true],
    ['server', '+ go on\r\n', true],
    ['client', 'Subject: x\r\n\r\nc NOOP\r\n\r\n', true],
    ['client', '\r\n', true],
    ['server', 'b OK done\r\n', false],
  ],
  'non-synchronizing literal, and one in the middle of a line': [
    ['client', 'b SEARCH SUBJECT {3+}\r\na b SEEN TEXT ~{2}\r\nab\r\n', true],
    ['server', '* SEARCH 1\r\nb OK done\r\n', false],
  ],
  'literal that is rejected': [
    ['client', 'b APPEND INBOX {1000000000}\r\n', true],
    ['server', 'b NO [TOOBIG] too large\r\n', false],
    ['client', 'c NOOP\r\n', true],
    ['server', 'c OK done\r\n', false],
  ],
  'pipelined commands': [
    ['client', 'a NOOP\r\nb NOOP\r\n', true],
    ['server', 'a OK done\r\n', true],
    ['server', 'b OK done\r\n', false],
  ],
  'same tag again': [
    ['client', '. NOOP\r\n', true],
    ['server', '. OK done\r\n', false],
    ['client', '. NOOP\r\n', true],
    ['server', '* 5 EXISTS\r\n', true],
    ['server', '. OK done\r\n', false],
  ],
  'line without a command': [
    ['client', '\r\n', false],
    ['client', 'x\r\n', false],
  ],
  'tag inside another word': [
    ['client', 'OK NOOP\r\n', true],
    ['server', '* OK still here\r\n', true],
    ['server', 'OK OK done\r\n', false],
  ],
}

test.each(Object.entries(dialogs))('CommandTracker.isBusy: %s', (_title, steps) => {
  const expected = steps.map(([, , isBusy]) => isBusy)
  expect(run(steps, false)).toEqual(expected)
  expect(run(steps, true)).toEqual(expected)
})

test('CommandTracker.isCompressed: after COMPRESS was accepted, not if it was rejected', () => {
  const tracker = new CommandTracker()
  const compress = (response: string) => {
    tracker.onSent(Buffer.from('a COMPRESS DEFLATE\r\n'))
    tracker.onReceived(Buffer.from(response))
    return [tracker.isCompressed, tracker.isBusy]
  }
  expect(compress('a NO not now\r\n')).toEqual([false, false])
  expect(compress('a OK from now on\r\n')).toEqual([true, false])
  tracker.onSent(Buffer.from('b NOOP\r\n'))
  expect(tracker.isBusy).toBe(false)
})

test('CommandTracker: a line of 1 MB, memory of its ends only', () => {
  const tracker = new CommandTracker()
  const chunk = Buffer.alloc(65_536, 'x ')
  for (let n = 0; n < 16; n += 1) tracker.onSent(chunk)
  tracker.onSent(Buffer.from('\r\na NOOP\r\n'))
  expect(tracker.isBusy).toBe(true)
  tracker.onReceived(Buffer.from('a OK done\r\n'))
  expect(tracker.isBusy).toBe(false)
})
