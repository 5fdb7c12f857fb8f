import { expect, test } from '@jest/globals'
import type { MailboxChange, MailSession, MessageFlags } from '../../src/mail-session.ts'
import { countUids } from '../../src/uid-ranges.ts'
import type { TestEnvironment } from '../environment.ts'

const mail = 'Subject: hello\r\n\r\nhello\r\n'

async function since(session: MailSession, modseq: bigint): Promise<MailboxChange[]> {
  await session.select('INBOX')
  return await Array.fromAsync(session.changesSince(modseq))
}

function flagsIn(changes: MailboxChange[]): MessageFlags[] {
  return changes.flatMap((change) => (change.kind === 'flags' ? [change] : []))
}

export function changeCases({ backend, account }: TestEnvironment): void {
  test('changesSince: returns only changes after the mod-sequence', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    for (let n = 0; n < 3; n++) await one.append(mail)
    const { highestModseq = 0n } = await session.select('INBOX')
    expect(await since(session, highestModseq)).toEqual([])
    await one.changeFlags(2, { add: ['\\Flagged', 'later'] })
    await one.append(mail, { flags: ['\\Seen'] })
    const changed = flagsIn(await since(session, highestModseq))
    expect(
      changed.map(({ uid, flags }) => [uid, flags.filter((flag) => flag !== '\\Recent').sort()]),
    ).toEqual([
      [2, ['\\Flagged', 'later']],
      [4, ['\\Seen']],
    ])
    for (const { modseq } of changed) expect(modseq).toBeGreaterThan(highestModseq)
  })

  test('changesSince: deletions, are returned as ranges together with flags', async () => {
    await using one = await account()
    for (let n = 0; n < 6; n++) await one.append(mail)
    let before = 0n
    {
      await using session = await backend.connect(one.options)
      before = (await session.select('INBOX')).highestModseq ?? 0n
    }
    for (const uid of [2, 3, 5]) await one.expunge(uid)
    await one.changeFlags(4, { add: ['\\Answered'] })
    await using session = await backend.connect(one.options)
    expect(session.capabilities).toMatchObject({ condstore: true, qresync: true })
    const changes = await since(session, before)
    expect(flagsIn(changes).map(({ uid }) => uid)).toEqual([4])
    const deleted = changes.flatMap((change) => (change.kind === 'vanished' ? change.uids : []))
    expect(deleted).toEqual([
      [2, 3],
      [5, 5],
    ])
    expect(countUids(await session.searchUids({ all: true }))).toBe(3)
  })
}
