/** "Bad ports" of the WHATWG Fetch standard: services that could mistake a request for their own protocol. */
const fetchBadPorts = [
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

/** Databases, brokers, caches, cluster and remote control: never a shop's web server. */
const infrastructurePorts = [
  445, 873, 1433, 1434, 1521, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 4369, 5432, 5433, 5671, 5672, 5900,
  5984, 5985, 5986, 6379, 6380, 6432, 7000, 7001, 7199, 8086, 9042, 9092, 9160, 9200, 9300, 10250, 10255,
  11211, 15672, 25672, 26379, 27017, 27018, 27019, 33060, 50070, 61616,
];

/** Ports no webhook URL may name. */
export const refusedPorts: ReadonlySet<number> = new Set([0, ...fetchBadPorts, ...infrastructurePorts]);
