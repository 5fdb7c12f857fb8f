import type { PageTexts } from './english.ts'

/** Estonian texts of the public pages, with formal address. */
export const estonian: PageTexts = {
  form: {
    choose: {
      title: 'Ühendage oma postkast',
      lead: 'Valige oma e-posti teenusepakkuja.',
      other: 'Muu postkast (IMAP)',
      signIn: (name) => `Logige sisse teenusega ${name}`,
    },
    person: {
      title: 'Ühendage oma postkast',
      lead: 'Järgmises sammus otsime üles teie e-posti teenusepakkuja serverid.',
      name: 'Teie nimi',
      email: 'E-posti aadress',
      pass: 'Postkasti parool',
      next: 'Jätka',
      pinned: 'Ühendada saab ainult selle postkasti.',
    },
    servers: {
      title: 'Kontrollige seadeid',
      lead: 'Need on teie postkasti serverid. Vajaduse korral parandage neid.',
      notDiscovered:
        'Me ei leidnud selle postkasti servereid. Palun küsige nende andmeid oma e-posti teenusepakkujalt.',
      incoming: 'Sissetulev post (IMAP)',
      outgoing: 'Väljaminev post (SMTP)',
      outgoingNote: 'Kui sellest postkastist kirju ei saadeta, jätke serveri väli tühjaks.',
      host: 'Server',
      port: 'Port',
      smtpPort: 'Port (465 kasutab TLS-i, kõik teised STARTTLS-i)',
      security: 'Turvalisus',
      tls: 'TLS (tavaline)',
      startTls: 'STARTTLS',
      user: 'Kasutajanimi',
      pass: 'Parool',
      passNote: 'Juba sisestatud parooli kasutamiseks jätke väli tühjaks.',
      smtpPassNote: 'Sissetuleva posti parooli kasutamiseks jätke väli tühjaks.',
      connect: 'Ühenda postkast',
      test: 'Ainult kontrolli seadeid',
      works: 'Töötab: sisselogimine õnnestus.',
    },
    done: {
      title: 'Teie postkast on ühendatud',
      lead: 'Teid suunatakse edasi.',
      next: 'Jätka',
    },
    used: {
      title: 'Seda linki on juba kasutatud',
      lead: 'Postkast on ühendatud. Te ei pea midagi rohkem tegema.',
      next: 'Jätka',
    },
    expired: {
      title: 'See link ei kehti enam',
      lead: 'See on aegunud või seda on juba kasutatud. Palun minge tagasi veebisaidile ja küsige uus link.',
    },
    invalid: {
      title: 'See link ei tööta',
      lead: 'See on puudulik või seda on muudetud. Palun minge tagasi veebisaidile või kopeerige kogu link.',
    },
    exhausted: {
      title: 'Liiga palju katseid',
      lead: 'Katsete piirarv on täis. Palun minge tagasi veebisaidile ja küsige uus link.',
    },
    unavailable: {
      title: 'Praegu ei ole see võimalik',
      lead: 'Midagi ei muudetud. Palun proovige minuti pärast uuesti.',
    },
    noApplication: {
      title: 'Sisselogimine ei ole saadaval',
      lead: 'See sisselogimisviis ei ole enam saadaval.',
      next: 'Näita saadaolevaid viise',
    },
    errors: {
      name: 'Sisestage kuni 256 märgi pikkune nimi.',
      email: 'Sisestage täielik e-posti aadress, näiteks anna@example.com.',
      pinned: (expected) => `Selle lingiga saab ühendada ainult aadressi ${expected}.`,
      pinnedUser: (expected) =>
        `Ühendada saab ainult aadressi ${expected} postkasti. Sisestage see aadress või selle @-märgile eelnev osa.`,
      pass: 'Sisestage parool: üks rida, kuni 256 märki.',
      user: 'Sisestage kasutajanimi: üks rida, kuni 256 märki.',
      host: 'Sisestage serveri nimi, näiteks mail.example.com.',
      port: 'Sisestage arv vahemikus 1 kuni 65535.',
      other: 'See väärtus ei sobi.',
    },
    verification: {
      login: 'Server ei võta seda kasutajanime ja parooli vastu.',
      loginWithReply: (reply) =>
        `Server ei võta seda kasutajanime ja parooli vastu. Serveri vastus: ${reply}`,
      server:
        'Sellel aadressil ja pordil ei saa selle turvalisusega kasutada ühtegi meiliserverit. ' +
        'Võimalik, et serveri sertifikaat ei kehti selle nime kohta.',
      unavailable: 'Seadeid ei saa praegu kontrollida. Palun proovige minuti pärast uuesti.',
    },
    appPasswordHint: (provider, instructions) => `${provider}: ${instructions}.`,
    appPasswords: {
      google:
        'lülitage sisse kaheastmeline kinnitamine ja looge rakenduse parool aadressil https://myaccount.google.com/apppasswords',
      yahoo:
        'looge konto turvaseadetes rakenduse parool aadressil https://login.yahoo.com/account/security',
      aol: 'looge konto turvaseadetes rakenduse parool aadressil https://login.aol.com/account/security',
      icloud: 'looge rakenduse parool aadressil https://account.apple.com/account/manage',
      fastmail: 'looge rakenduse parool Fastmaili seadete jaotises „Privacy & Security“',
      zoho: 'lülitage Zoho Maili seadetes IMAP sisse; kaheastmelise sisselogimise korral looge rakenduse parool',
      yandex:
        'lubage Yandex Maili seadetes meiliprogrammid ja looge rakenduse parool aadressil https://id.yandex.com/security/app-passwords',
      mailRu:
        'looge väliste rakenduste parool aadressil https://account.mail.ru/user/2-step-auth/passwords',
      qqMail:
        'lülitage QQ Maili seadetes IMAP sisse ja kasutage seal kuvatavat autoriseerimiskoodi',
      netEase:
        'lülitage postkasti seadetes IMAP sisse ja kasutage seal kuvatavat autoriseerimiskoodi',
      imapOff:
        'lülitage seadetes IMAP sisse; kaheastmelise sisselogimise korral looge rakenduse parool',
    },
  },
  signIn: {
    again: 'Logige uuesti sisse',
    unknown: {
      title: 'See sisselogimine on lõppenud',
      lead: 'See on juba lõpetatud, kestis üle tunni või algas teises brauseris. Kui teie postkast ei ole ühendatud, minge palun tagasi veebisaidile ja alustage uuesti.',
    },
    denied: {
      title: 'Teie postkast ei ole ühendatud',
      lead: 'Sisselogimine katkestati või juurdepääsu ei lubatud. Midagi ei muudetud.',
    },
    refused: {
      title: 'Sisselogimine ebaõnnestus',
      lead: 'Teie postkasti teenusepakkuja ei kinnitanud sisselogimist. Midagi ei muudetud.',
    },
    missing: {
      title: 'Üks luba puudub',
      lead: 'Kõik järgmised load on vajalikud. Logige uuesti sisse ja andke need load:',
    },
    unverified: {
      title: 'See aadress ei ole kinnitatud',
      lead: 'Teenusepakkuja ei ole kontrollinud, et see aadress kuulub teile. Kinnitage see teenusepakkuja juures ja logige uuesti sisse. Midagi ei muudetud.',
    },
    failure: {
      remedy: 'Mida teha',
      error: 'Teenusepakkuja viga',
    },
    other: {
      title: 'See on teine postkast',
      lead: 'Logisite sisse teise postkastiga kui see, mida tuleb ühendada. Midagi ei muudetud.',
      expected: 'Ühendatav postkast',
      signedIn: 'Logisite sisse kasutajana',
    },
    exists: {
      title: 'See postkast on juba ühendatud',
      lead: 'See kuulub siin teisele kontole. Midagi ei muudetud.',
    },
    unavailable: {
      title: 'Praegu ei ole see võimalik',
      lead: 'Teie postkast ei ole veel ühendatud. Palun logige minuti pärast uuesti sisse.',
    },
    remedies: {
      askAdministrator:
        'Paluge oma organisatsiooni administraatoril see rakendus heaks kiita ja logige siis uuesti sisse.',
      askForAssignment: 'Paluge oma organisatsiooni administraatoril see rakendus teile määrata.',
      askOperator:
        'Paluge selle teenuse haldajal parandada rakenduse registreering teenusepakkuja juures.',
      useOrganisation:
        'Logige sisse selle organisatsiooni kontoga, mille jaoks rakendus on mõeldud.',
      usePermittedDevice:
        'Logige sisse seadmest või võrgust, mida teie organisatsiooni eeskirjad lubavad.',
      acceptPermissions: 'Logige uuesti sisse ja andke küsitud load.',
      answerQuestions: 'Logige uuesti sisse ja vastake kõigile teenusepakkuja küsimustele.',
      tryLater: 'Logige mõne minuti pärast uuesti sisse.',
    },
  },
  links: {
    confirm: {
      title: 'Tellimuse lõpetamine',
      lead: 'Kas soovite nende kirjade saamise lõpetada?',
      button: 'Lõpeta tellimus',
      note: 'Enne nupu vajutamist midagi ei muutu.',
    },
    unsubscribed: {
      title: 'Teie tellimus on lõpetatud',
      lead: 'Te ei saa enam selle postiloendi kirju.',
      button: 'Telli uuesti',
      note: 'Kui see oli eksitus, saate kirjad igal ajal uuesti tellida.',
    },
    blocked: {
      title: 'Teie tellimus on lõpetatud',
      lead: 'Te ei saa enam selle postiloendi kirju.',
      note: 'Tellimuse saab taastada ainult postiloendi saatja.',
    },
    resubscribed: {
      title: 'Teie tellimus on taastatud',
      lead: 'Saate selle postiloendi kirju jälle.',
      button: 'Lõpeta tellimus',
      note: 'Saate tellimuse igal ajal lõpetada.',
    },
    address: 'Aadress',
    list: 'Postiloend',
    invalid: {
      title: 'See link ei tööta',
      lead: 'See on puudulik või seda on muudetud. Avage link kirjast uuesti või kopeerige kogu link.',
    },
    unavailable: {
      title: 'Praegu ei ole see võimalik',
      lead: 'Midagi ei muudetud. Palun proovige minuti pärast uuesti.',
    },
    oneClick: 'Tellimus on lõpetatud',
  },
}
