import { expect, test } from '@jest/globals'
import { mayBeReport } from './detect-report.ts'
import { readReport } from './read-report.ts'

/** Subject or name of a delivery report as an encoded word (RFC 2047). */
const word = (text: string) => `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`
const windows1251 = (text: string) =>
  Buffer.from(
    Array.from(text, (letter) => {
      const code = letter.codePointAt(0) ?? 63
      return code >= 0x410 && code <= 0x44f ? code - 0x350 : code < 128 ? code : 63
    }),
  )

interface Sample {
  /** Sender of the delivery report. Default: a sender without a machine's name. */
  from?: string
  subject: string
  lines: string[]
  charset?: 'utf-8' | 'iso-8859-1' | 'windows-1251'
}

function message({ from = 'Info', subject, lines, charset = 'utf-8' }: Sample): Buffer {
  const head = [
    `From: ${word(from)} <info@mx.example>`,
    'To: me@sender.example',
    `Subject: ${word(subject)}`,
    'MIME-Version: 1.0',
    `Content-Type: text/plain; charset=${charset}`,
    'Content-Transfer-Encoding: 8bit',
    '',
    '',
  ].join('\r\n')
  const text = lines.join('\r\n')
  const body =
    charset === 'windows-1251'
      ? windows1251(text)
      : Buffer.from(text, charset === 'utf-8' ? 'utf8' : 'latin1')
  return Buffer.concat([Buffer.from(head), body])
}

const original = ['Message-ID: <first@sender.example>', 'From: me@sender.example', 'Subject: Hallo']
const you = 'you@there.example'

test.each<[string, Sample, [action: string, category: string]]>([
  [
    'German, by groups',
    {
      subject: 'Unzustellbar: Angebot',
      lines: [
        'Die Nachricht konnte nicht an diese Empfänger zugestellt werden:',
        '',
        you,
        'Die Adresse wurde beim Ziel nicht gefunden.',
        '',
        'Ursprüngliche Nachrichtenkopfzeilen:',
        '',
        ...original,
      ],
    },
    ['failed', 'user_unknown'],
  ],
  [
    'German, in a sentence, of a machine',
    {
      from: 'Mail-Zustellsystem',
      subject: 'Fehler',
      charset: 'iso-8859-1',
      lines: [
        `Ihre Mail an ${you} wurde nicht zugestellt. Das Postfach ist voll.`,
        '--- Kopie der Nachricht ---',
        ...original,
      ],
    },
    ['failed', 'mailbox_full'],
  ],
  [
    'German, late',
    {
      subject: 'Verzögerte Zustellung: Angebot',
      lines: [
        'Diese Mail wurde noch nicht zugestellt; es wird weiterhin versucht.',
        `Empfänger: ${you}`,
        'Grund: Server nicht erreichbar',
        'Originalnachricht',
        ...original,
      ],
    },
    ['delayed', 'server_error'],
  ],
  [
    'French',
    {
      subject: 'Non remis : Devis',
      lines: [
        `Votre message n'a pas pu être remis à ${you}, car la boîte aux lettres est pleine.`,
        "En-têtes de message d'origine :",
        ...original,
      ],
    },
    ['failed', 'mailbox_full'],
  ],
  [
    'French, with a label',
    {
      from: 'Système de messagerie',
      subject: 'Votre courrier',
      charset: 'iso-8859-1',
      lines: [
        'La distribution du courrier a échoué : impossible de remettre le message.',
        `Destinataire : ${you}`,
        'Cause : utilisateur inconnu',
        "Message d'origine",
        ...original,
      ],
    },
    ['failed', 'user_unknown'],
  ],
  [
    'Spanish',
    {
      subject: 'No se puede entregar: Oferta',
      lines: [
        'Su mensaje no pudo ser entregado a los destinatarios siguientes:',
        `  * ${you}`,
        '    No se ha encontrado la dirección en el servidor de destino.',
        'Mensaje original',
        ...original,
      ],
    },
    ['failed', 'user_unknown'],
  ],
  [
    'Spanish, a closed account',
    {
      subject: 'Correo devuelto',
      lines: [
        `El mensaje para "${you}" no se ha entregado: la cuenta está desactivada.`,
        'Copia del mensaje:',
        ...original,
      ],
    },
    ['failed', 'mailbox_disabled'],
  ],
  [
    'Italian, of certified mail',
    {
      from: 'Posta Certificata',
      subject: 'AVVISO DI MANCATA CONSEGNA: Offerta',
      lines: [
        `Per il messaggio destinato all'utente "${you}" è stato rilevato un errore:`,
        'indirizzo non valido. Il messaggio è stato rifiutato dal sistema.',
        'Messaggio originale',
        ...original,
      ],
    },
    ['failed', 'invalid_address'],
  ],
  [
    'Italian, late',
    {
      subject: 'Recapito ritardato: Offerta',
      lines: [
        `Il messaggio a ${you} non è stato recapitato, si continuerà a tentare.`,
        'Motivo: tempo scaduto durante la connessione.',
        'Messaggi originali',
        ...original,
      ],
    },
    ['delayed', 'server_error'],
  ],
  [
    'Portuguese',
    {
      subject: 'Não foi possível entregar: Proposta',
      lines: [
        `Sua mensagem não foi entregue a ${you} porque o endereço não foi encontrado.`,
        'Cabeçalhos da mensagem original:',
        ...original,
      ],
    },
    ['failed', 'user_unknown'],
  ],
  [
    'Portuguese, of a machine',
    {
      from: 'Subsistema de entrega de correio',
      subject: 'Aviso',
      lines: [
        'A sua mensagem não foi entregue.',
        `Endereço: ${you}`,
        'A caixa de entrada do destinatário está cheia.',
        'Mensagem original:',
        ...original,
      ],
    },
    ['failed', 'mailbox_full'],
  ],
  [
    'Russian',
    {
      subject: 'Недоставленное сообщение',
      charset: 'windows-1251',
      lines: [
        'Ваше письмо не может быть доставлено следующим получателям:',
        '',
        `<${you}>: такого пользователя нет`,
        '',
        'Заголовки исходного письма:',
        ...original,
      ],
    },
    ['failed', 'user_unknown'],
  ],
  [
    'Russian, in a sentence, of a machine',
    {
      from: 'Система доставки почты',
      subject: 'Письмо',
      lines: [
        `Не удалось доставить письмо пользователю ${you}: почтовый ящик переполнен.`,
        'Исходное сообщение',
        ...original,
      ],
    },
    ['failed', 'mailbox_full'],
  ],
  [
    'Japanese',
    {
      subject: '配信不能: お見積り',
      lines: [
        `${you} へのメッセージは配信できませんでした。`,
        '宛先が見つかりません。',
        '元のメッセージ ヘッダー:',
        ...original,
      ],
    },
    ['failed', 'user_unknown'],
  ],
  [
    'Japanese, late',
    {
      from: 'メール配信システム',
      subject: '配信の遅延',
      lines: [
        'メールはまだ配信されていません。再送を続けます。',
        `宛先：${you}`,
        '理由：タイムアウト',
        '元のメール',
        ...original,
      ],
    },
    ['delayed', 'server_error'],
  ],
])('readReport: text report, %s', (_, sample, [action, category]) => {
  const bytes = message(sample)
  expect(readReport(bytes)).toMatchObject({
    kind: 'delivery',
    messageId: '<first@sender.example>',
    recipients: [{ recipient: you, action, response: { category } }],
  })
})

test.each<[string, Sample]>([
  [
    'a reply about a bounce',
    {
      from: 'Anna',
      subject: 'Re: Unzustellbar: Angebot',
      lines: [`Sie konnte nicht an ${you} zugestellt werden. Was nun?`],
    },
  ],
  [
    'news about post',
    {
      from: 'Paketdienst',
      subject: 'Zustellung morgen',
      lines: ['Ihr Paket wird morgen zugestellt.', 'Fragen an hilfe@paket.example'],
    },
  ],
  [
    'a parcel that did not arrive',
    {
      from: 'Colis',
      subject: 'Échec de la livraison de votre colis',
      lines: ["Le colis n'a pas pu être remis.", 'Destinataire : aide@colis.example'],
    },
  ],
  ['a vacation note', { from: 'Ana', subject: 'Fuera de la oficina', lines: [`Escriba a ${you}`] }],
])('readReport: %s, returns undefined', (_, sample) => {
  expect(readReport(message(sample))).toBeUndefined()
})

test('mayBeReport: recognises senders and subjects in other languages', () => {
  const may = (from: string, subject: string) =>
    mayBeReport({ from: [`${from} <info@mx.example>`], subject: [subject] })
  expect(may('Info', 'Недоставленное сообщение')).toBe(true)
  expect(may('メール配信システム', 'お知らせ')).toBe(true)
  expect(may('Anna', 'Re: Unzustellbar: Angebot')).toBe(false)
  expect(may('Паша', 'Доставка завтра')).toBe(false)
})
