import type { PageTexts } from './english.ts'

/** Polish texts of the public pages, impersonal or with formal imperative. */
export const polish: PageTexts = {
  form: {
    choose: {
      title: 'Podłączanie skrzynki pocztowej',
      lead: 'Proszę wybrać dostawcę poczty.',
      other: 'Inna skrzynka (IMAP)',
      signIn: (name) => `Zaloguj się przez ${name}`,
    },
    person: {
      title: 'Podłączanie skrzynki pocztowej',
      lead: 'W następnym kroku wyszukamy serwery dostawcy poczty.',
      name: 'Imię i nazwisko',
      email: 'Adres e-mail',
      pass: 'Hasło do skrzynki',
      next: 'Dalej',
      pinned: 'Można podłączyć tylko tę skrzynkę.',
    },
    servers: {
      title: 'Sprawdzenie ustawień',
      lead: 'Oto serwery tej skrzynki. W razie potrzeby proszę je poprawić.',
      notDiscovered:
        'Nie udało się znaleźć serwerów tej skrzynki. Proszę zapytać o nie dostawcę poczty.',
      incoming: 'Poczta przychodząca (IMAP)',
      outgoing: 'Poczta wychodząca (SMTP)',
      outgoingNote: 'Jeśli z tej skrzynki nie wysyła się poczty, proszę zostawić serwer pusty.',
      host: 'Serwer',
      port: 'Port',
      smtpPort: 'Port (465 używa TLS, każdy inny STARTTLS)',
      security: 'Zabezpieczenie',
      tls: 'TLS (zwykle)',
      startTls: 'STARTTLS',
      user: 'Nazwa użytkownika',
      pass: 'Hasło',
      passNote: 'Puste pole oznacza użycie hasła podanego wcześniej.',
      smtpPassNote: 'Puste pole oznacza użycie hasła poczty przychodzącej.',
      connect: 'Podłącz skrzynkę',
      test: 'Tylko sprawdź ustawienia',
      works: 'Działa: logowanie się powiodło.',
    },
    done: {
      title: 'Skrzynka została podłączona',
      lead: 'Trwa przekierowanie.',
      next: 'Dalej',
    },
    used: {
      title: 'Ten link został już użyty',
      lead: 'Skrzynka jest podłączona. Nie trzeba robić nic więcej.',
      next: 'Dalej',
    },
    expired: {
      title: 'Ten link stracił ważność',
      lead: 'Link wygasł lub został już użyty. Proszę wrócić na stronę internetową i poprosić o nowy.',
    },
    invalid: {
      title: 'Ten link nie działa',
      lead: 'Link jest niepełny lub został zmieniony. Proszę wrócić na stronę internetową lub skopiować cały link.',
    },
    exhausted: {
      title: 'Zbyt wiele prób',
      lead: 'Limit prób został wyczerpany. Proszę wrócić na stronę internetową i poprosić o nowy link.',
    },
    unavailable: {
      title: 'Chwilowo niemożliwe',
      lead: 'Nic nie zostało zmienione. Proszę spróbować ponownie za minutę.',
    },
    noApplication: {
      title: 'Logowanie niedostępne',
      lead: 'Ten sposób logowania nie jest już dostępny.',
      next: 'Pokaż dostępne sposoby',
    },
    errors: {
      name: 'Proszę podać nazwę o długości do 256 znaków.',
      email: 'Proszę podać pełny adres e-mail, na przykład anna@example.com.',
      pinned: (expected) => `Za pomocą tego linku można podłączyć tylko ${expected}.`,
      pinnedUser: (expected) =>
        `Można podłączyć tylko skrzynkę ${expected}. Proszę podać ten adres lub część przed znakiem @.`,
      pass: 'Proszę podać hasło: jeden wiersz, najwyżej 256 znaków.',
      user: 'Proszę podać nazwę użytkownika: jeden wiersz, najwyżej 256 znaków.',
      host: 'Proszę podać nazwę serwera, na przykład mail.example.com.',
      port: 'Proszę podać liczbę od 1 do 65535.',
      other: 'Ta wartość jest nieprawidłowa.',
    },
    verification: {
      login: 'Serwer odrzuca tę nazwę użytkownika i hasło.',
      loginWithReply: (reply) =>
        `Serwer odrzuca tę nazwę użytkownika i hasło. Odpowiedź serwera: ${reply}`,
      server:
        'Pod tym adresem i portem nie można użyć żadnego serwera poczty z tym zabezpieczeniem. ' +
        'Być może certyfikat serwera nie jest ważny dla jego nazwy.',
      unavailable: 'Ustawień nie można teraz sprawdzić. Proszę spróbować ponownie za minutę.',
    },
    appPasswordHint: (provider, instructions) => `${provider}: ${instructions}.`,
    appPasswords: {
      google:
        'proszę włączyć weryfikację dwuetapową i utworzyć hasło do aplikacji na stronie https://myaccount.google.com/apppasswords',
      yahoo:
        'proszę utworzyć hasło do aplikacji w zabezpieczeniach konta na stronie https://login.yahoo.com/account/security',
      aol: 'proszę utworzyć hasło do aplikacji w zabezpieczeniach konta na stronie https://login.aol.com/account/security',
      icloud: 'proszę utworzyć hasło aplikacji na stronie https://account.apple.com/account/manage',
      fastmail:
        'proszę utworzyć hasło do aplikacji w ustawieniach Fastmail, w sekcji „Privacy & Security”',
      zoho: 'proszę włączyć IMAP w ustawieniach Zoho Mail; przy logowaniu dwuetapowym proszę utworzyć hasło do aplikacji',
      yandex:
        'proszę zezwolić na programy pocztowe w ustawieniach Yandex Mail i utworzyć hasło do aplikacji na stronie https://id.yandex.com/security/app-passwords',
      mailRu:
        'proszę utworzyć hasło do aplikacji zewnętrznych na stronie https://account.mail.ru/user/2-step-auth/passwords',
      qqMail:
        'proszę włączyć IMAP w ustawieniach QQ Mail i użyć wyświetlonego tam kodu autoryzacji',
      netEase:
        'proszę włączyć IMAP w ustawieniach skrzynki i użyć wyświetlonego tam kodu autoryzacji',
      imapOff:
        'proszę włączyć IMAP w ustawieniach; przy logowaniu dwuetapowym proszę utworzyć hasło do aplikacji',
    },
  },
  signIn: {
    again: 'Zaloguj się ponownie',
    unknown: {
      title: 'To logowanie jest zakończone',
      lead: 'Zostało już ukończone, trwało dłużej niż godzinę lub rozpoczęło się w innej przeglądarce. Jeśli skrzynka nie jest podłączona, proszę wrócić na stronę internetową i zacząć od nowa.',
    },
    denied: {
      title: 'Skrzynka nie została podłączona',
      lead: 'Logowanie zostało anulowane lub nie zezwolono na dostęp. Nic nie zostało zmienione.',
    },
    refused: {
      title: 'Logowanie się nie powiodło',
      lead: 'Dostawca skrzynki nie potwierdził logowania. Nic nie zostało zmienione.',
    },
    missing: {
      title: 'Brakuje uprawnienia',
      lead: 'Wszystkie poniższe uprawnienia są potrzebne. Proszę zalogować się ponownie i je przyznać:',
    },
    unverified: {
      title: 'Ten adres nie jest potwierdzony',
      lead: 'Dostawca nie sprawdził, czy ten adres należy do zalogowanej osoby. Proszę potwierdzić go u dostawcy i zalogować się ponownie. Nic nie zostało zmienione.',
    },
    failure: {
      remedy: 'Co zrobić',
      error: 'Błąd dostawcy',
    },
    other: {
      title: 'To jest inna skrzynka',
      lead: 'Zalogowano się do innej skrzynki niż ta, która ma zostać podłączona. Nic nie zostało zmienione.',
      expected: 'Skrzynka do podłączenia',
      signedIn: 'Zalogowano jako',
    },
    exists: {
      title: 'Ta skrzynka jest już podłączona',
      lead: 'Należy tutaj do innego konta. Nic nie zostało zmienione.',
    },
    unavailable: {
      title: 'Chwilowo niemożliwe',
      lead: 'Skrzynka nie jest jeszcze podłączona. Proszę zalogować się ponownie za minutę.',
    },
    remedies: {
      askAdministrator:
        'Proszę poprosić administratora organizacji o zatwierdzenie tej aplikacji, a następnie zalogować się ponownie.',
      askForAssignment: 'Proszę poprosić administratora organizacji o przydzielenie tej aplikacji.',
      askOperator: 'Proszę poprosić operatora tej usługi o poprawienie rejestracji u dostawcy.',
      useOrganisation:
        'Proszę zalogować się na konto organizacji, dla której przeznaczona jest aplikacja.',
      usePermittedDevice:
        'Proszę zalogować się z urządzenia lub sieci, na które zezwalają zasady organizacji.',
      acceptPermissions: 'Proszę zalogować się ponownie i zaakceptować żądane uprawnienia.',
      answerQuestions:
        'Proszę zalogować się ponownie i odpowiedzieć na wszystkie pytania dostawcy.',
      tryLater: 'Proszę zalogować się ponownie za kilka minut.',
    },
  },
  links: {
    confirm: {
      title: 'Rezygnacja z subskrypcji',
      lead: 'Czy zrezygnować z otrzymywania tych wiadomości?',
      button: 'Zrezygnuj z subskrypcji',
      note: 'Nic się nie zmieni, dopóki przycisk nie zostanie naciśnięty.',
    },
    unsubscribed: {
      title: 'Subskrypcja została anulowana',
      lead: 'Wiadomości z tej listy nie będą już przychodzić.',
      button: 'Zapisz się ponownie',
      note: 'Jeśli to pomyłka, w każdej chwili można zapisać się ponownie.',
    },
    blocked: {
      title: 'Subskrypcja została anulowana',
      lead: 'Wiadomości z tej listy nie będą już przychodzić.',
      note: 'Tylko nadawca listy może przywrócić subskrypcję.',
    },
    resubscribed: {
      title: 'Subskrypcja została przywrócona',
      lead: 'Wiadomości z tej listy będą znów przychodzić.',
      button: 'Zrezygnuj z subskrypcji',
      note: 'Z subskrypcji można zrezygnować w każdej chwili.',
    },
    address: 'Adres',
    list: 'Lista',
    invalid: {
      title: 'Ten link nie działa',
      lead: 'Link jest niepełny lub został zmieniony. Proszę otworzyć go ponownie z wiadomości lub skopiować cały link.',
    },
    unavailable: {
      title: 'Chwilowo niemożliwe',
      lead: 'Nic nie zostało zmienione. Proszę spróbować ponownie za minutę.',
    },
    oneClick: 'Subskrypcja anulowana',
  },
}
