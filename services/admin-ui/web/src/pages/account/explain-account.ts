import { accountAdvice } from '@posthorn/advice'
import type { AccountRecord } from '../../data/accounts.ts'

/** Explanation of an account's state for operators. */
export interface AccountExplanation {
  meaning?: string
  action?: string
  /** Names and texts of details about the account's state. Undefined texts are not shown. */
  details: readonly (readonly [name: string, text: string | undefined])[]
}

/** Explains the state of an account: meaning, next step, and the last error of the server. */
export function explainAccount(record: AccountRecord): AccountExplanation {
  const { lastError } = record
  const advice = accountAdvice(record)
  return {
    ...(advice && { meaning: advice.meaning, action: advice.action }),
    details: [
      ['Last error', lastError?.response ?? lastError?.description],
      ['Error code', lastError?.serverResponseCode ?? lastError?.tokenRequest?.code],
      ['Text for the owner', advice?.ownerText],
      ['Guide', advice?.guide?.replace('#', ', section ').replaceAll('-', ' ')],
    ],
  }
}
