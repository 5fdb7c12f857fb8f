import { type Db, findUsableToken, listTokens, markTokenUsed, refusalOf } from '@posthorn/db'
import { Refusal } from './refusal.ts'
import { findSendingAccount, type SendingAccount } from './store/outbox.ts'

/** Who a session is, after AUTH. */
export interface User {
  account: string
  tokenId: string
  address: string
}

export interface Login {
  account: string
  token: string
  address: string
}

/** One text for an unknown account, an unknown token and one that may not be used so: it tells nobody which. */
const invalid = () => new Refusal(535, 'Invalid credentials')

/** @throws Refusal 535 */
export async function logIn(db: Db, { account, token, address }: Login): Promise<User> {
  if (account === '' || account.length > 256 || account.includes('\0')) throw invalid()
  const verdict = await findUsableToken(db, token, { scope: 'smtp', account, address })
  if (verdict.refused === 'address')
    throw new Refusal(535, 'Access denied, traffic not accepted from this IP')
  if (!verdict.token || !(await findSendingAccount(db, account))) throw invalid()
  // Whoever reads the time of last use can do without it; whoever logs in cannot wait for it.
  markTokenUsed(db, verdict.token.id, address).catch(() => undefined)
  return { account, tokenId: verdict.token.id, address }
}

/**
 * Whether a session may send a message now: its token may have been revoked since AUTH, its account removed.
 *
 * @throws Refusal 535, 550 or 451
 */
export async function checkSender(
  db: Db,
  { account, tokenId, address }: User,
): Promise<SendingAccount> {
  const [tokens, sender] = await Promise.all([
    listTokens(db, [tokenId]),
    findSendingAccount(db, account),
  ])
  const [token] = tokens
  if (!token || !sender || refusalOf(token, { scope: 'smtp', account, address })) throw invalid()
  if (!sender.canSend) throw new Refusal(550, 'Sending is not enabled for this account')
  if (!sender.ready) throw new Refusal(451, 'The account is not ready yet, try again later')
  return sender
}
