import type { PageTexts } from './english.ts'

/** German texts of the public pages, with formal address. */
export const german: PageTexts = {
  form: {
    choose: {
      title: 'Postfach verbinden',
      lead: 'Wählen Sie Ihren E-Mail-Anbieter.',
      other: 'Anderes Postfach (IMAP)',
      signIn: (name) => `Mit ${name} anmelden`,
    },
    person: {
      title: 'Postfach verbinden',
      lead: 'Im nächsten Schritt ermitteln wir die Server Ihres E-Mail-Anbieters.',
      name: 'Ihr Name',
      email: 'E-Mail-Adresse',
      pass: 'Passwort des Postfachs',
      next: 'Weiter',
      pinned: 'Nur dieses Postfach kann verbunden werden.',
    },
    servers: {
      title: 'Einstellungen prüfen',
      lead: 'Dies sind die Server Ihres Postfachs. Ändern Sie die Angaben, falls nötig.',
      notDiscovered:
        'Wir konnten die Server dieses Postfachs nicht ermitteln. Bitte erfragen Sie die Angaben bei Ihrem E-Mail-Anbieter.',
      incoming: 'Posteingang (IMAP)',
      outgoing: 'Postausgang (SMTP)',
      outgoingNote: 'Lassen Sie den Server leer, wenn von diesem Postfach nichts gesendet wird.',
      host: 'Server',
      port: 'Port',
      smtpPort: 'Port (465 mit TLS, alle anderen mit STARTTLS)',
      security: 'Verschlüsselung',
      tls: 'TLS (üblich)',
      startTls: 'STARTTLS',
      user: 'Benutzername',
      pass: 'Passwort',
      passNote: 'Leer lassen, um das bereits eingegebene Passwort zu verwenden.',
      smtpPassNote: 'Leer lassen, um das Passwort des Posteingangs zu verwenden.',
      connect: 'Postfach verbinden',
      test: 'Einstellungen nur testen',
      works: 'Funktioniert: Die Anmeldung war erfolgreich.',
    },
    done: {
      title: 'Ihr Postfach ist verbunden',
      lead: 'Sie werden weitergeleitet.',
      next: 'Weiter',
    },
    used: {
      title: 'Dieser Link wurde bereits verwendet',
      lead: 'Das Postfach ist verbunden. Sie brauchen nichts weiter zu tun.',
      next: 'Weiter',
    },
    expired: {
      title: 'Dieser Link ist nicht mehr gültig',
      lead: 'Er ist abgelaufen oder wurde bereits verwendet. Bitte gehen Sie zurück zur Website und fordern Sie einen neuen Link an.',
    },
    invalid: {
      title: 'Dieser Link funktioniert nicht',
      lead: 'Er ist unvollständig oder wurde verändert. Bitte gehen Sie zurück zur Website oder kopieren Sie den ganzen Link.',
    },
    exhausted: {
      title: 'Zu viele Versuche',
      lead: 'Die Höchstzahl der Versuche ist erreicht. Bitte gehen Sie zurück zur Website und fordern Sie einen neuen Link an.',
    },
    unavailable: {
      title: 'Zurzeit nicht möglich',
      lead: 'Es wurde nichts geändert. Bitte versuchen Sie es in einer Minute noch einmal.',
    },
    noApplication: {
      title: 'Anmeldung nicht verfügbar',
      lead: 'Diese Art der Anmeldung gibt es nicht mehr.',
      next: 'Verfügbare Anmeldungen anzeigen',
    },
    errors: {
      name: 'Geben Sie einen Namen mit höchstens 256 Zeichen ein.',
      email: 'Geben Sie eine vollständige E-Mail-Adresse ein, zum Beispiel anna@example.com.',
      pinned: (expected) => `Mit diesem Link kann nur ${expected} verbunden werden.`,
      pinnedUser: (expected) =>
        `Nur das Postfach von ${expected} kann verbunden werden. Geben Sie diese Adresse oder den Teil vor dem @ ein.`,
      pass: 'Geben Sie das Passwort ein: eine Zeile mit höchstens 256 Zeichen.',
      user: 'Geben Sie den Benutzernamen ein: eine Zeile mit höchstens 256 Zeichen.',
      host: 'Geben Sie den Namen eines Servers ein, zum Beispiel mail.example.com.',
      port: 'Geben Sie eine Zahl von 1 bis 65535 ein.',
      other: 'Dieser Wert ist ungültig.',
    },
    verification: {
      login: 'Der Server lehnt diesen Benutzernamen mit diesem Passwort ab.',
      loginWithReply: (reply) =>
        `Der Server lehnt diesen Benutzernamen mit diesem Passwort ab. Seine Antwort: ${reply}`,
      server:
        'Unter dieser Adresse und diesem Port ist mit dieser Verschlüsselung kein Mailserver nutzbar. ' +
        'Möglicherweise gilt sein Zertifikat nicht für seinen Namen.',
      unavailable:
        'Die Einstellungen können zurzeit nicht getestet werden. Bitte versuchen Sie es in einer Minute noch einmal.',
    },
    appPasswordHint: (provider, instructions) => `${provider}: ${instructions}.`,
    appPasswords: {
      google:
        'Aktivieren Sie die Bestätigung in zwei Schritten und erstellen Sie ein App-Passwort unter https://myaccount.google.com/apppasswords',
      yahoo:
        'Erstellen Sie in den Einstellungen zur Kontosicherheit ein App-Passwort unter https://login.yahoo.com/account/security',
      aol: 'Erstellen Sie in den Einstellungen zur Kontosicherheit ein App-Passwort unter https://login.aol.com/account/security',
      icloud:
        'Erstellen Sie ein anwendungsspezifisches Passwort unter https://account.apple.com/account/manage',
      fastmail:
        'Erstellen Sie in Fastmail in den Einstellungen unter „Privacy & Security“ ein App-Passwort',
      zoho: 'Aktivieren Sie IMAP in den Einstellungen von Zoho Mail; bei Anmeldung mit zwei Faktoren erstellen Sie ein anwendungsspezifisches Passwort',
      yandex:
        'Erlauben Sie E-Mail-Programme in den Einstellungen von Yandex Mail und erstellen Sie ein App-Passwort unter https://id.yandex.com/security/app-passwords',
      mailRu:
        'Erstellen Sie ein Passwort für externe Anwendungen unter https://account.mail.ru/user/2-step-auth/passwords',
      qqMail:
        'Aktivieren Sie IMAP in den Einstellungen von QQ Mail und verwenden Sie den Autorisierungscode, der dort angezeigt wird',
      netEase:
        'Aktivieren Sie IMAP in den Einstellungen des Postfachs und verwenden Sie den Autorisierungscode, der dort angezeigt wird',
      imapOff:
        'Aktivieren Sie IMAP in den Einstellungen; bei Anmeldung mit zwei Faktoren erstellen Sie ein anwendungsspezifisches Passwort',
    },
  },
  signIn: {
    again: 'Noch einmal anmelden',
    unknown: {
      title: 'Diese Anmeldung ist beendet',
      lead: 'Sie ist bereits abgeschlossen, hat länger als eine Stunde gedauert oder wurde in einem anderen Browser begonnen. Falls Ihr Postfach nicht verbunden ist, gehen Sie bitte zurück zur Website und beginnen Sie noch einmal.',
    },
    denied: {
      title: 'Ihr Postfach ist nicht verbunden',
      lead: 'Die Anmeldung wurde abgebrochen oder der Zugriff nicht erlaubt. Es wurde nichts geändert.',
    },
    refused: {
      title: 'Die Anmeldung ist fehlgeschlagen',
      lead: 'Der Anbieter Ihres Postfachs hat die Anmeldung nicht bestätigt. Es wurde nichts geändert.',
    },
    missing: {
      title: 'Eine Berechtigung fehlt',
      lead: 'Alle folgenden Berechtigungen sind nötig. Melden Sie sich noch einmal an und erlauben Sie sie:',
    },
    unverified: {
      title: 'Diese Adresse ist nicht bestätigt',
      lead: 'Der Anbieter hat nicht geprüft, ob diese Adresse Ihnen gehört. Bestätigen Sie die Adresse dort und melden Sie sich noch einmal an. Es wurde nichts geändert.',
    },
    failure: {
      remedy: 'Abhilfe',
      error: 'Fehler des Anbieters',
    },
    other: {
      title: 'Das ist ein anderes Postfach',
      lead: 'Sie haben sich mit einem anderen Postfach angemeldet als dem, das verbunden werden soll. Es wurde nichts geändert.',
      expected: 'Zu verbindendes Postfach',
      signedIn: 'Angemeldet mit',
    },
    exists: {
      title: 'Dieses Postfach ist bereits verbunden',
      lead: 'Es gehört hier zu einem anderen Konto. Es wurde nichts geändert.',
    },
    unavailable: {
      title: 'Zurzeit nicht möglich',
      lead: 'Ihr Postfach ist noch nicht verbunden. Bitte melden Sie sich in einer Minute noch einmal an.',
    },
    remedies: {
      askAdministrator:
        'Bitten Sie die Administration Ihrer Organisation, diese Anwendung zu genehmigen, und melden Sie sich dann noch einmal an.',
      askForAssignment:
        'Bitten Sie die Administration Ihrer Organisation, Ihnen diese Anwendung zuzuweisen.',
      askOperator:
        'Bitten Sie den Betreiber dieses Dienstes, die Registrierung beim Anbieter zu korrigieren.',
      useOrganisation:
        'Melden Sie sich mit einem Konto der Organisation an, für die diese Anwendung bestimmt ist.',
      usePermittedDevice:
        'Melden Sie sich von einem Gerät oder Netzwerk aus an, das die Richtlinien Ihrer Organisation erlauben.',
      acceptPermissions:
        'Melden Sie sich noch einmal an und erteilen Sie die angeforderten Berechtigungen.',
      answerQuestions:
        'Melden Sie sich noch einmal an und beantworten Sie alle Fragen des Anbieters.',
      tryLater: 'Melden Sie sich in einigen Minuten noch einmal an.',
    },
  },
  links: {
    confirm: {
      title: 'Abbestellen',
      lead: 'Möchten Sie diese Nachrichten nicht mehr erhalten?',
      button: 'Abbestellen',
      note: 'Erst mit einem Klick auf die Schaltfläche wird etwas geändert.',
    },
    unsubscribed: {
      title: 'Sie sind abgemeldet',
      lead: 'Sie erhalten keine Nachrichten dieser Liste mehr.',
      button: 'Wieder anmelden',
      note: 'Falls das ein Versehen war, können Sie sich jederzeit wieder anmelden.',
    },
    blocked: {
      title: 'Sie sind abgemeldet',
      lead: 'Sie erhalten keine Nachrichten dieser Liste mehr.',
      note: 'Nur der Absender der Liste kann Sie wieder anmelden.',
    },
    resubscribed: {
      title: 'Sie sind wieder angemeldet',
      lead: 'Sie erhalten die Nachrichten dieser Liste wieder.',
      button: 'Abbestellen',
      note: 'Sie können die Liste jederzeit abbestellen.',
    },
    address: 'Adresse',
    list: 'Liste',
    invalid: {
      title: 'Dieser Link funktioniert nicht',
      lead: 'Er ist unvollständig oder wurde verändert. Öffnen Sie ihn noch einmal aus der Nachricht oder kopieren Sie den ganzen Link.',
    },
    unavailable: {
      title: 'Zurzeit nicht möglich',
      lead: 'Es wurde nichts geändert. Bitte versuchen Sie es in einer Minute noch einmal.',
    },
    oneClick: 'Abbestellt',
  },
}
