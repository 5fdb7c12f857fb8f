import type { Credentials } from '@posthorn/contracts'
import type { StoredLogin } from '../store/credentials.ts'

/** One way to come by what an account logs in with. */
export interface CredentialProvider {
  /**
   * What logs in right now.
   *
   * @throws AppError `rejected` where nothing is stored to log in with, `unreachable` where whoever knows cannot be asked.
   */
  get(login: StoredLogin, signal: AbortSignal): Promise<Credentials>
}
