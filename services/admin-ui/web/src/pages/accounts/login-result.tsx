import type { VerifyResult } from '../../data/accounts.ts'

/** Result of a test of the logins at the mail servers of an account. */
export function LoginResult({ result }: { result: VerifyResult }) {
  return (
    <p role="status">
      {serverResult('IMAP', result.imap)}. {serverResult('SMTP', result.smtp)}.
    </p>
  )
}

type ServerResult = { success?: boolean; error?: string } | undefined | false

function serverResult(name: string, result: ServerResult): string {
  if (!result) return `${name} was not tested`
  if (result.success === true) return `${name} login works`
  return `${name} login fails: ${result.error ?? 'unknown reason'}`
}
