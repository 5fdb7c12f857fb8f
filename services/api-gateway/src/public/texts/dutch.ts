import type { PageTexts } from './english.ts'

/** Dutch texts of the public pages, with formal address. */
export const dutch: PageTexts = {
  form: {
    choose: {
      title: 'Koppel uw mailbox',
      lead: 'Kies uw e-mailprovider.',
      other: 'Een andere mailbox (IMAP)',
      signIn: (name) => `Inloggen met ${name}`,
    },
    person: {
      title: 'Koppel uw mailbox',
      lead: 'In de volgende stap zoeken we de servers van uw e-mailprovider op.',
      name: 'Uw naam',
      email: 'E-mailadres',
      pass: 'Wachtwoord van de mailbox',
      next: 'Doorgaan',
      pinned: 'Alleen deze mailbox kan worden gekoppeld.',
    },
    servers: {
      title: 'Controleer de instellingen',
      lead: 'Dit zijn de servers van uw mailbox. Pas ze zo nodig aan.',
      notDiscovered:
        'We hebben de servers van deze mailbox niet gevonden. Vraag ze op bij uw e-mailprovider.',
      incoming: 'Inkomende mail (IMAP)',
      outgoing: 'Uitgaande mail (SMTP)',
      outgoingNote: 'Laat de server leeg als vanuit deze mailbox geen mail wordt verzonden.',
      host: 'Server',
      port: 'Poort',
      smtpPort: 'Poort (465 gebruikt TLS, elke andere STARTTLS)',
      security: 'Beveiliging',
      tls: 'TLS (gebruikelijk)',
      startTls: 'STARTTLS',
      user: 'Gebruikersnaam',
      pass: 'Wachtwoord',
      passNote: 'Laat leeg om het wachtwoord te gebruiken dat u al hebt ingevuld.',
      smtpPassNote: 'Laat leeg om het wachtwoord van de inkomende mail te gebruiken.',
      connect: 'Mailbox koppelen',
      test: 'Alleen de instellingen testen',
      works: 'Werkt: het inloggen is gelukt.',
    },
    done: {
      title: 'Uw mailbox is gekoppeld',
      lead: 'U wordt doorgestuurd.',
      next: 'Doorgaan',
    },
    used: {
      title: 'Deze link is al gebruikt',
      lead: 'De mailbox is gekoppeld. U hoeft verder niets te doen.',
      next: 'Doorgaan',
    },
    expired: {
      title: 'Deze link is niet meer geldig',
      lead: 'De link is verlopen of al gebruikt. Ga terug naar de website en vraag een nieuwe aan.',
    },
    invalid: {
      title: 'Deze link werkt niet',
      lead: 'De link is onvolledig of gewijzigd. Ga terug naar de website of kopieer de hele link.',
    },
    exhausted: {
      title: 'Te veel pogingen',
      lead: 'Het maximale aantal pogingen is bereikt. Ga terug naar de website en vraag een nieuwe link aan.',
    },
    unavailable: {
      title: 'Op dit moment niet mogelijk',
      lead: 'Er is niets gewijzigd. Probeer het over een minuut opnieuw.',
    },
    noApplication: {
      title: 'Inloggen niet beschikbaar',
      lead: 'Deze manier van inloggen is niet meer beschikbaar.',
      next: 'Beschikbare manieren tonen',
    },
    errors: {
      name: 'Vul een naam van maximaal 256 tekens in.',
      email: 'Vul een volledig e-mailadres in, bijvoorbeeld anna@example.com.',
      pinned: (expected) => `Met deze link kan alleen ${expected} worden gekoppeld.`,
      pinnedUser: (expected) =>
        `Alleen de mailbox van ${expected} kan worden gekoppeld. Vul dat adres in of het deel vóór de @.`,
      pass: 'Vul het wachtwoord in: één regel van maximaal 256 tekens.',
      user: 'Vul de gebruikersnaam in: één regel van maximaal 256 tekens.',
      host: 'Vul de naam van een server in, bijvoorbeeld mail.example.com.',
      port: 'Vul een getal van 1 tot en met 65535 in.',
      other: 'Deze waarde is niet geldig.',
    },
    verification: {
      login: 'De server weigert deze gebruikersnaam en dit wachtwoord.',
      loginWithReply: (reply) =>
        `De server weigert deze gebruikersnaam en dit wachtwoord. Het antwoord van de server: ${reply}`,
      server:
        'Op dit adres en deze poort is met deze beveiliging geen mailserver bruikbaar. ' +
        'Mogelijk is het certificaat niet geldig voor de naam van de server.',
      unavailable:
        'De instellingen kunnen op dit moment niet worden getest. Probeer het over een minuut opnieuw.',
    },
    appPasswordHint: (provider, instructions) => `${provider}: ${instructions}.`,
    appPasswords: {
      google:
        'schakel verificatie in twee stappen in en maak een app-wachtwoord op https://myaccount.google.com/apppasswords',
      yahoo:
        'maak een app-wachtwoord bij de accountbeveiliging op https://login.yahoo.com/account/security',
      aol: 'maak een app-wachtwoord bij de accountbeveiliging op https://login.aol.com/account/security',
      icloud: 'maak een app-specifiek wachtwoord op https://account.apple.com/account/manage',
      fastmail:
        'maak een app-wachtwoord in de instellingen van Fastmail, onder ‘Privacy & Security’',
      zoho: 'schakel IMAP in bij de instellingen van Zoho Mail; maak bij inloggen in twee stappen een app-specifiek wachtwoord',
      yandex:
        'sta e-mailprogramma’s toe in de instellingen van Yandex Mail en maak een app-wachtwoord op https://id.yandex.com/security/app-passwords',
      mailRu:
        'maak een wachtwoord voor externe toepassingen op https://account.mail.ru/user/2-step-auth/passwords',
      qqMail:
        'schakel IMAP in bij de instellingen van QQ Mail en gebruik de autorisatiecode die u daar krijgt',
      netEase:
        'schakel IMAP in bij de instellingen van de mailbox en gebruik de autorisatiecode die u daar krijgt',
      imapOff:
        'schakel IMAP in bij de instellingen; maak bij inloggen in twee stappen een app-specifiek wachtwoord',
    },
  },
  signIn: {
    again: 'Opnieuw inloggen',
    unknown: {
      title: 'Deze aanmelding is beëindigd',
      lead: 'De aanmelding is al voltooid, duurde langer dan een uur of is in een andere browser begonnen. Als uw mailbox niet is gekoppeld, ga dan terug naar de website en begin opnieuw.',
    },
    denied: {
      title: 'Uw mailbox is niet gekoppeld',
      lead: 'Het inloggen is geannuleerd of de toegang is niet toegestaan. Er is niets gewijzigd.',
    },
    refused: {
      title: 'Het inloggen is niet gelukt',
      lead: 'De provider van uw mailbox heeft de aanmelding niet bevestigd. Er is niets gewijzigd.',
    },
    missing: {
      title: 'Er ontbreekt een toestemming',
      lead: 'Al deze toestemmingen zijn nodig. Log opnieuw in en sta ze toe:',
    },
    unverified: {
      title: 'Dit adres is niet bevestigd',
      lead: 'De provider heeft niet gecontroleerd of dit adres van u is. Laat het daar verifiëren en log opnieuw in. Er is niets gewijzigd.',
    },
    failure: {
      remedy: 'Wat u kunt doen',
      error: 'Fout van de provider',
    },
    other: {
      title: 'Dit is een andere mailbox',
      lead: 'U bent ingelogd met een andere mailbox dan de mailbox die wordt gekoppeld. Er is niets gewijzigd.',
      expected: 'Te koppelen mailbox',
      signedIn: 'U bent ingelogd met',
    },
    exists: {
      title: 'Deze mailbox is al gekoppeld',
      lead: 'De mailbox hoort hier bij een ander account. Er is niets gewijzigd.',
    },
    unavailable: {
      title: 'Op dit moment niet mogelijk',
      lead: 'Uw mailbox is nog niet gekoppeld. Log over een minuut opnieuw in.',
    },
    remedies: {
      askAdministrator:
        'Vraag een beheerder van uw organisatie om deze toepassing goed te keuren en log daarna opnieuw in.',
      askForAssignment:
        'Vraag een beheerder van uw organisatie om deze toepassing aan u toe te wijzen.',
      askOperator:
        'Vraag de beheerder van deze dienst om de registratie bij de provider te corrigeren.',
      useOrganisation:
        'Log in met een account van de organisatie waarvoor de toepassing is bedoeld.',
      usePermittedDevice:
        'Log in vanaf een apparaat of netwerk dat het beleid van uw organisatie toestaat.',
      acceptPermissions: 'Log opnieuw in en accepteer de gevraagde toestemmingen.',
      answerQuestions: 'Log opnieuw in en beantwoord alle vragen van de provider.',
      tryLater: 'Log over enkele minuten opnieuw in.',
    },
  },
  links: {
    confirm: {
      title: 'Uitschrijven',
      lead: 'Wilt u deze berichten niet meer ontvangen?',
      button: 'Uitschrijven',
      note: 'Er verandert niets totdat u op de knop drukt.',
    },
    unsubscribed: {
      title: 'U bent uitgeschreven',
      lead: 'U ontvangt geen berichten van deze lijst meer.',
      button: 'Opnieuw inschrijven',
      note: 'Als dit een vergissing was, kunt u zich op elk moment opnieuw inschrijven.',
    },
    blocked: {
      title: 'U bent uitgeschreven',
      lead: 'U ontvangt geen berichten van deze lijst meer.',
      note: 'Alleen de afzender van de lijst kan u opnieuw inschrijven.',
    },
    resubscribed: {
      title: 'U bent opnieuw ingeschreven',
      lead: 'U ontvangt de berichten van deze lijst weer.',
      button: 'Uitschrijven',
      note: 'U kunt zich op elk moment uitschrijven.',
    },
    address: 'Adres',
    list: 'Lijst',
    invalid: {
      title: 'Deze link werkt niet',
      lead: 'De link is onvolledig of gewijzigd. Open de link opnieuw vanuit het bericht of kopieer de hele link.',
    },
    unavailable: {
      title: 'Op dit moment niet mogelijk',
      lead: 'Er is niets gewijzigd. Probeer het over een minuut opnieuw.',
    },
    oneClick: 'Uitgeschreven',
  },
}
