// The SMTP door asks the same.
export { assertCanSend, type SendPrerequisites } from '@posthorn/db'
