/** Words that people reach for when asked for a password, with letters only and in small ones. */
export const commonWords: readonly string[] = `
password passwort passwd motdepasse contrasena parola senha wachtwoord pass secret geheim secreto private
welcome willkommen bienvenue benvenuto hello hallo hola letmein changeme default temp temporary test testing tester
admin administrator root user guest login logon signin system service server database device sensor component stream
feed master super superuser owner manager office company business computer internet network router switch windows linux
apple samsung google amazon facebook instagram twitter youtube microsoft android iphone oracle cisco weir
love loveyou iloveyou loveme lovely lover forever always sweet sweetie honey baby angel heart happy smile sunshine
princess prince queen king flower butterfly rainbow diamond crystal silver golden gold star stars moon
dragon monkey tiger lion eagle falcon wolf bear shark snake horse dolphin panda kitty kitten puppy bunny chicken
banana orange cookie chocolate cheese pepper ginger coffee vanilla cherry strawberry peanut
football baseball basketball soccer hockey tennis golf rugby cricket yankees cowboys lakers steelers arsenal chelsea
liverpool barcelona juventus realmadrid manchester united
superman batman spiderman pokemon starwars matrix naruto ninja pirate hunter killer warrior soldier shadow ghost
phantom phoenix thunder lightning storm fire blaze freedom liberty justice power energy trust believe faith jesus
christ blessed heaven blessing trinity
michael jordan daniel david andrew anthony thomas robert joshua matthew jennifer jessica michelle amanda ashley nicole
charlie george harley james john jose juan maria anna alexander alexandra martin peter sophie emma oliver maximilian
summer winter spring autumn fall sommer winter herbst fruehling january february march april may june july august
september october november december monday tuesday wednesday thursday friday saturday sunday
london paris berlin madrid america canada england germany france italy spain mexico brasil australia california texas
newyork chicago dallas boston
music guitar piano player gamer game games hacker hacking trustno whatever nothing something anything access open
opensesame sesame abracadabra computer mustang ferrari porsche corvette mercedes camaro toyota honda yamaha
qwerty qwertz azerty asdfgh zxcvbn abcdef hottie sexy babygirl babyboy mother father family friend friends
mypassword newpassword oldpassword thepassword security secure safety unlock number one two three four five six seven
eight nine zero first last the and for you your mine this that
`
  .trim()
  .split(/\s+/)
