// The SMTP door asks the same.
export { assertCanSend, type Sending } from '@posthorn/db'
