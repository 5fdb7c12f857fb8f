import type { AppPassword } from '../../autoconfig/providers.ts'
import { escapeHtml, hiddenField } from '../page-layout.ts'
import { formTexts } from './form-texts.ts'
import type { FormValues, FormValueName, FormErrors } from './parse-settings.ts'

const texts = formTexts.servers

export interface FormField {
  name: string
  label: string
  value: string
  wrong?: string | undefined
  note?: string | undefined
  /** Further attributes. */
  more?: string
}

/** A labelled field with what is wrong with it; screen readers hear both. */
export function field({ name, label, value, wrong, note, more = '' }: FormField): string {
  const described = [note && `${name}-note`, wrong && `${name}-wrong`].filter(Boolean).join(' ')
  const aria = `${wrong ? ' aria-invalid="true"' : ''}${described ? ` aria-describedby="${described}"` : ''}`
  return `<label for="${name}">${label}</label>
${note ? `<p class="note" id="${name}-note">${escapeHtml(note)}</p>\n` : ''}<input id="${name}" name="${name}" value="${escapeHtml(value)}"${aria} ${more}>
${wrong ? `<p class="bad" id="${name}-wrong">${escapeHtml(wrong)}</p>` : ''}`
}

export interface ServersView {
  values: FormValues
  errors: FormErrors
  /** Which logins have just worked. */
  works: { imap?: boolean; smtp?: boolean }
  /** The passwords, encrypted for this link. */
  encryptedPasswords: string
  /** Whether the settings came from somewhere. */
  isDiscovered: boolean
  /** What concerns no field. */
  general?: string
  appPassword: AppPassword | undefined
}

const plain = 'autocapitalize="none" autocorrect="off" spellcheck="false"'

export function serverFields({ values: filled, errors: wrong, works }: ServersView): string {
  const input = (name: FormValueName, label: string, more = '') =>
    field({ name, label, value: filled[name], wrong: wrong[name], more: `${plain} ${more}` })
  const password = (name: 'imapPass' | 'smtpPass', note: string) =>
    field({
      name,
      label: texts.pass,
      value: '',
      note,
      wrong: wrong[name],
      more: 'type="password" autocomplete="off" maxlength="256"',
    })
  const port = 'inputmode="numeric" maxlength="5"'
  const ok = (worked?: boolean) =>
    worked ? `<p class="good" role="status">${texts.works}</p>` : ''
  return `${hiddenField('name', filled.name)}${hiddenField('email', filled.email)}
<fieldset><legend>${texts.incoming}</legend>
${ok(works.imap)}${input('imapHost', texts.host, 'maxlength="253"')}
${input('imapPort', texts.port, port)}
${security(filled.imapSecurity)}
${input('imapUser', texts.user, 'maxlength="256"')}
${password('imapPass', texts.passNote)}
</fieldset>
<fieldset><legend>${texts.outgoing}</legend>
<p class="note">${texts.outgoingNote}</p>
${ok(works.smtp)}${input('smtpHost', texts.host, 'maxlength="253"')}
${input('smtpPort', texts.smtpPort, port)}
${input('smtpUser', texts.user, 'maxlength="256"')}
${password('smtpPass', texts.smtpPassNote)}
</fieldset>`
}

function security(chosen: string): string {
  const option = (value: string, label: string) =>
    `<option value="${value}"${chosen === value ? ' selected' : ''}>${label}</option>`
  return `<label for="imapSecurity">${texts.security}</label>
<select id="imapSecurity" name="imapSecurity">${option('tls', texts.tls)}${option('starttls', texts.startTls)}</select>`
}
