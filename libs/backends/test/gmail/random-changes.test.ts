import { expect, test } from '@jest/globals'
import { type ProviderFault, providerFaults } from '@posthorn/testkit/providers'
import { gmailFailures } from '@posthorn/testkit/providers/gmail'
import { SeededRandom } from '@posthorn/testkit/mail-api-model'
import { mail } from '../mail-api/environment.ts'
import { FeedIndex, snapshotOf } from '../mail-api/feed-index.ts'
import { type GmailSetup, startGmail } from './gmail-setup.ts'

/** Makes one random change in the Gmail mailbox, as another client would. */
function changeSomething({ mailbox }: GmailSetup, random: SeededRandom): void {
  const all = mailbox.list
  const message = all[random.below(all.length)]
  const labels = [...mailbox.labels.values()].filter(({ type }) => type === 'user')
  const label = labels[random.below(labels.length)]?.id ?? 'IMPORTANT'
  const dice = random.below(12)
  if (!message || dice < 4) mailbox.deliver(mail('x'))
  else if (dice < 5) mailbox.remove(message)
  else if (dice < 6) mailbox.changeLabels(message, ['TRASH'], ['INBOX'])
  else if (dice < 8) mailbox.modify(message, ['STARRED'], ['UNREAD'])
  else if (dice < 9) mailbox.modify(message, ['UNREAD'], ['STARRED'])
  else if (dice < 10) mailbox.modify(message, [label], [])
  else if (dice < 11) mailbox.modify(message, [], [label])
  else mailbox.saveDraft(Buffer.from(mail('draft')), { draftId: `r${random.below(3)}` })
}

/** Irregular responses of the Gmail fake, each for a twentieth of the requests. */
function irregular(random: SeededRandom): ProviderFault {
  const limited = gmailFailures.tooManyRequests()
  const faults = [
    providerFaults.replies(limited),
    providerFaults.replies(gmailFailures.unavailable()),
    providerFaults.replies(gmailFailures.unauthorized()),
    providerFaults.truncatesAfter(20),
    providerFaults.resets('after'),
  ]
  let last = false
  return (request) => {
    // Gmail requests never fail twice in a row, so that the client's repeats suffice.
    last = !last && random.happens(0.2)
    return last ? faults[random.below(faults.length)]?.(request) : undefined
  }
}

test.each([1, 2, 3])(
  'changes: random run with faults and expired histories (seed %d), the index equals the mailbox',
  async (seed) => {
    await using setup = await startGmail({ priority: 'sync' })
    const { gmail, mailbox, api } = setup
    const random = new SeededRandom(seed)
    for (const name of ['one', 'one/two', 'three & four'])
      mailbox.setLabel({ id: mailbox.newLabelId(), name, type: 'user' })
    gmail.on('*', irregular(random))
    const index = new FeedIndex(api, 50)
    let staleCursors = 0
    for (let step = 0; step < 25; step++) {
      for (let left = random.below(random.happens(0.2) ? 300 : 20); left > 0; left--)
        changeSomething(setup, random)
      gmail.switches.emptyHistoryPages = random.below(3)
      if (random.happens(0.15)) mailbox.expireHistory()
      if (await index.followOrRestart()) staleCursors++
      expect(index.snapshot()).toEqual(
        snapshotOf(
          mailbox.list.map(({ id, labels }) => ({
            id,
            labels: [...labels].filter((each) => each !== 'UNREAD' && each !== 'STARRED'),
            unseen: labels.has('UNREAD'),
            flagged: labels.has('STARRED'),
            draft: labels.has('DRAFT'),
          })),
        ),
      )
    }
    expect(staleCursors).toBeGreaterThan(0)
  },
)
