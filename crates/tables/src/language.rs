//! Words of tables in Chinese and Japanese, as the English words that headers, labels and units are read by.

use std::borrow::Cow;

/// What is written, and what it is in English: longer words stand before the words that they hold.
const WORDS: &[(&[&str], &str)] = &[
    (&["（"], "("),
    (&["）"], ")"),
    (&["，", "、"], ", "),
    (&["：", "＝"], "="),
    (&["每秒"], "per second"),
    (&["次/秒", "次/s"], "ops/s"),
    (&["毫秒"], "ms"),
    (&["微秒", "マイクロ秒"], "us"),
    (&["纳秒", "ナノ秒"], "ns"),
    (&["/秒"], "/s"),
    (&["分钟"], "minutes"),
    (&["平均", "均值"], "mean"),
    (&["中位数", "中央値"], "median"),
    (&["标准差", "標準偏差"], "stdev"),
    (&["最大", "最高"], "max"),
    (&["最小", "最低"], "min"),
    (&["延迟", "延遲", "时延", "時延", "响应时间", "レイテンシ", "遅延"], "latency"),
    (&["吞吐量", "吞吐率", "吞吐", "スループット"], "throughput"),
    (&["带宽", "頻寬", "帶寬", "帯域"], "bandwidth"),
    (&["块大小", "ブロックサイズ", "页大小"], "block size"),
    (&["队列深度", "隊列深度", "佇列深度", "キュー深度"], "queue depth"),
    (&["线程数", "執行緒數", "线程", "スレッド数", "スレッド", "进程数", "任务数"], "threads"),
    (&["并发数", "并发", "並行数", "客户端数"], "concurrency"),
    (&["随机", "隨機", "ランダム"], "random"),
    (&["顺序", "順序", "シーケンシャル"], "sequential"),
    (&["读写", "讀寫"], "read/write"),
    (&["读取", "讀取", "读", "讀", "読み込み", "リード"], "read"),
    (&["写入", "寫入", "写", "寫", "書き込み", "ライト"], "write"),
    (&["提交"], "commit"),
    (&["刷盘", "同步"], "sync"),
    (&["运行次数", "重复次数", "测试次数", "試行回数"], "runs"),
    (&["请求数", "操作数"], "operations"),
    (&["耗时", "时间", "時間"], "time"),
    (&["内存", "メモリ"], "memory"),
    (&["文件大小"], "file size"),
    (&["持久性", "持久化"], "durability"),
    (&["排名", "名次", "順位"], "rank"),
    (&["直接"], "direct"),
    (&["无", "不"], "no"),
];

/// The text with these words in English, each with spaces around it.
pub(crate) fn english(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.chars().any(is_foreign) {
        return Cow::Borrowed(text);
    }
    let mut english = text.to_owned();
    for (words, meaning) in WORDS {
        let is_word = meaning.starts_with(|c: char| c.is_ascii_alphabetic());
        let spaced = if is_word { format!(" {meaning} ") } else { (*meaning).to_owned() };
        for word in *words {
            if english.contains(word) {
                english = english.replace(word, &spaced);
            }
        }
    }
    Cow::Owned(english.replace("( ", "(").replace(" )", ")").trim().to_owned())
}

/// Chinese characters, kana, and their punctuation.
fn is_foreign(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' | '\u{ff00}'..='\u{ff65}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_chinese_tables() {
        for (text, expected) in [
            ("平均延迟（毫秒）", "mean latency (ms)"),
            ("随机读 4K", "random  read  4K"),
            ("p99 µs", "p99 µs"),
            ("スループット (MB/s)", "throughput  (MB/s)"),
        ] {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&english(text)), words(expected), "{text}");
        }
    }
}
