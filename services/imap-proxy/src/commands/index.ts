import { answerAuthenticate } from './authenticate.ts'
import { answerCapability } from './capability.ts'
import type { Answer } from './command.ts'
import { answerId } from './id.ts'
import { answerLogin } from './login.ts'
import { answerLogout } from './logout.ts'
import { answerNoop } from './noop.ts'
import { answerStartTls } from './starttls.ts'

/** What we answer ourselves. All else is between the client and its server, once it is logged in. */
export const commands: ReadonlyMap<string, Answer> = new Map([
  ['AUTHENTICATE', answerAuthenticate],
  ['CAPABILITY', answerCapability],
  ['ID', answerId],
  ['LOGIN', answerLogin],
  ['LOGOUT', answerLogout],
  ['NOOP', answerNoop],
  ['STARTTLS', answerStartTls],
])
