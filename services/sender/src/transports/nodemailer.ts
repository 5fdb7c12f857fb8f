/**
 * Only module of the sender that imports nodemailer. The package's main entry offers pooled
 * transports, which hide the moment before the end of data, so the sender drives single
 * connections. nodemailer.test.ts fails if a new version changes a member used here.
 */
import SmtpConnection, {
  type SMTPConnectionCustomAuthContext as AuthContext,
  type SMTPConnectionCustomAuthHandlers as AuthHandlers,
  type SMTPConnectionSendInfo as SendInfo,
} from 'nodemailer/lib/smtp-connection'
/** Marks credentials as an access token. Without it nodemailer sends the token as a password. */
import XOAuth2 from 'nodemailer/lib/xoauth2'

export { type AuthContext, type AuthHandlers, type SendInfo, SmtpConnection, XOAuth2 }

/**
 * Lines of the EHLO reply, without codes and greeting. Private member: the public `SendInfo.ehlo`
 * has them only after a message, but size, DSN and SMTPUTF8 decide how the message is sent.
 */
export function ehloLinesOf(connection: SmtpConnection): readonly string[] {
  const { _ehloLines: lines = [] } = connection as unknown as { _ehloLines?: string[] }
  return lines
}
